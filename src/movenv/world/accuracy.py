"""What receivers mean by the accuracy of a place."""

SIGMAS_IN_ACCURACY = 1.515
"""A circle of so many standard deviations holds 68% of a plane's normal cloud."""
