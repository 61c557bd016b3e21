"""A live run on the bus as a feed."""
