"""Sensors: one a file, each turns where vehicles truly were into what they measure of it."""
