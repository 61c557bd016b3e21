"""Scans of laser scanners as they travel between programs."""
