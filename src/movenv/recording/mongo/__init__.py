"""Recordings in MongoDB: fed from the file while the run goes, and fetched back as a file."""
