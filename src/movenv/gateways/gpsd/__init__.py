"""Receivers that a gpsd reads."""
