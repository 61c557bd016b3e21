"""Receivers that speak NMEA 0183, over UDP, TCP or a serial line."""
