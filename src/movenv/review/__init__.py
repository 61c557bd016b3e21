"""The after-action review: what a recording means, in numbers, figures and words."""
