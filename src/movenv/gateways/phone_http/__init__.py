"""Phones that post over HTTP: Sensor Logger, OwnTracks, Traccar, GPSLogger, SensorLog."""
