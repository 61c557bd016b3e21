"""The injection layer beside a real vehicle: scans in, virtual vehicles into them, scans out."""
