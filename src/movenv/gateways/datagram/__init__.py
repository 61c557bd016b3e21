"""Plain datagrams of our own, for microcontrollers and scripts."""
