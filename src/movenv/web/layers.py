"""The layers of the map: what a browser must know of each, and the files it may read."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from movenv.scenario.map_schema import MapLayer

VECTOR = (".pbf", ".mvt")


class Layers:
    """The layers of one scenario."""

    def __init__(
        self,
        layers: list[MapLayer],
        folder: Path | None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """`folder` is where the scenario lies.

        Without one no file is read and no key is given away: a scenario may come from elsewhere.
        """
        self._layers = layers
        self._environment = environment if folder is not None else {}
        self._trusted = folder is not None
        self.files: dict[str, Path] = {}
        """By name of the layer: the only files beside the page that anybody can read."""
        for layer in layers:
            if layer.file is not None and folder is not None:
                path = folder / layer.file
                if path.is_file():
                    self.files[layer.name] = path

    def described(self) -> list[dict[str, Any]]:
        """For browsers. `missing` says in words why one cannot be shown."""
        return [self._described(layer) for layer in self._layers]

    def _described(self, layer: MapLayer) -> dict[str, Any]:
        key = self._environment.get(layer.key_env, "") if layer.key_env else ""
        missing = None
        if layer.key_env and not key:
            missing = f"set {layer.key_env} to its key before the start"
        if layer.file is not None and layer.name not in self.files:
            missing = f"{layer.file} is not there"
        if missing and not self._trusted:
            missing = "its files and keys are only used with --folder"
        return {
            "name": layer.name,
            "kind": _kind(layer),
            "url": (layer.tiles or layer.style or "").replace("{key}", key),
            "google": layer.google,
            "key": key if layer.google else "",
            "source_layers": layer.source_layers,
            "attribution": layer.attribution,
            "tile_size": layer.tile_size,
            "max_zoom": layer.max_zoom,
            "shown": layer.shown,
            "missing": missing,
        }


def _kind(layer: MapLayer) -> str:
    if layer.file is not None:
        return "pmtiles" if layer.file.endswith(".pmtiles") else "geojson"
    if layer.style is not None:
        return "style"
    if layer.google is not None:
        return "google"
    path = (layer.tiles or "").partition("?")[0]
    return "vector" if path.endswith(VECTOR) else "raster"
