"""Recordings: one MCAP file a run."""
