"""What a recording can be exported to: one module a format, and what they share.

Tables (`csv`, `parquet`) have a row a vehicle and tick and are made in `table`. Ways for maps
(`geojson`, `gpx`, `kml`, `czml`) have a line a vehicle and are made in `tracks`.
"""
