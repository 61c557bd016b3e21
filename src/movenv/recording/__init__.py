"""Recordings: an MCAP file a run, or several where the recorder was started again."""
