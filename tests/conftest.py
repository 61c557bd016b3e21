"""For all tests: a test never asserts a time, so hypothesis must not either."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
