"""A link in a phone's browser: the phone is a vehicle, without an app."""
