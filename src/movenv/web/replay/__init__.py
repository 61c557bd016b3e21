"""A recording as a feed."""
