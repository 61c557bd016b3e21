"""Doors to the real world: one folder a protocol, each with a pure codec and its own I/O."""
