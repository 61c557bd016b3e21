"""Tracks in GPX files and recordings, played as if somebody were walking them now."""
