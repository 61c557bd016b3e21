"""Phones that send CSV datagrams: HyperIMU on Android, SensorLog on iOS."""
