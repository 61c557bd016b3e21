"""The live driver: Core, hosts and sinks as processes on the bus, paced by the wall clock.

What decides (`core`, `host`, `clock`, `wire`) knows no socket and is told the time; what talks
(`bus`, `*_process`, `launcher`) decides nothing.
"""
