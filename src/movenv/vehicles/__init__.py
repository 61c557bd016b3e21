"""The built-in mobility models, one a file."""
