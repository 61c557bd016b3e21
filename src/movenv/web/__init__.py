"""The console's server: one run, live or recorded, for any number of browsers."""
