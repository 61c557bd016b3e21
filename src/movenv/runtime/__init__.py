"""Drivers of a run."""
