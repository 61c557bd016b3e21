"""MoVE, the mobility virtual environment: where real and virtual vehicles meet."""

__version__ = "0.1.0"
