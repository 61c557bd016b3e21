"""Places: areas now; heights, obstacles and routes to come."""
