"""Rehearsing a field test at a desk: phones that are played, over real sockets."""
