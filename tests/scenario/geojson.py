"""Scenarios whose ground is a text of GeoJSON."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from movenv.scenario.build import Stage
from movenv.scenario.document import parse_document
from movenv.scenario.load import load_document
from movenv.world.frames import Frame

SCENARIO = """name: test
origin: {lat: 29.19, lon: -81.05, alt: 10}
terrain:
  file: village.geojson
vehicles: [{name: a, kind: ground, start: {at: [0, 60]}}]
"""
FRAME = Frame(29.19, -81.05, 10)


def stage_with(text: str, scenario: str = SCENARIO) -> Stage:
    document = parse_document(scenario, "test.yaml", Path(), {"village.geojson": text})
    return Stage(load_document(document, [], {}))


def lonlat(*places: tuple[float, float]) -> list[list[float]]:
    lat, lon, _ = FRAME.to_geodetic(*np.array(places, float).T)
    return np.column_stack([lon, lat]).tolist()


def collection(*features: tuple[dict[str, Any], str, Any]) -> str:
    return json.dumps(
        {
            "type": "FeatureCollection",
            "features": [
                {"type": "Feature", "properties": p, "geometry": {"type": t, "coordinates": c}}
                for p, t, c in features
            ],
        }
    )


SQUARE = [lonlat((100, 100), (140, 100), (140, 140), (100, 140), (100, 100))]
BOW_TIE = [lonlat((100, 100), (140, 140), (140, 100), (100, 140), (100, 100))]
