"""Scenario files: the schema is the format; loading with file:line errors; building a run."""
