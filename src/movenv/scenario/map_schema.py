"""What the console shows beneath the vehicles, as a scenario says it."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from movenv.parts.config import Name, Strict, exactly_one, lies_beside

FILES = (".pmtiles", ".geojson", ".json")


class MapLayer(Strict):
    """Something the console's map shows beneath the vehicles: one of tiles, style, google, file."""

    name: Name
    tiles: str | None = Field(
        None,
        description="URL of tiles with {z}, {x} and {y}, and {key} where it takes one; "
        ".pbf and .mvt are vector tiles, anything else pictures",
    )
    style: str | None = Field(None, description="URL of a MapLibre style")
    google: Literal["satellite", "roadmap", "terrain"] | None = Field(
        None, description="Google's map tiles; needs a key"
    )
    file: str | None = Field(
        None, description=".pmtiles or .geojson, beside the scenario or in a folder there"
    )
    key_env: str | None = Field(
        None,
        pattern=r"^MOVENV_KEY_[A-Z0-9_]+$",
        description="environment variable with the key, which so stays out of recordings",
    )
    source_layers: list[str] = Field(
        default_factory=list, description="layers within vector tiles to draw"
    )
    attribution: str = Field("", description="whom to thank, on the map")
    tile_size: Literal[256, 512] = Field(256, description="pixels")
    max_zoom: int = Field(19, ge=0, le=24, description="of the tiles; nearer they are enlarged")
    shown: bool = Field(False, description="at once, not only when chosen")

    @model_validator(mode="after")
    def _one_source(self) -> "MapLayer":
        exactly_one(self, ("tiles", "style", "google", "file"))
        if self.file is not None:
            lies_beside(self.file, FILES)
        if self.google is not None and self.key_env is None:
            raise ValueError("google needs key_env: the environment variable with the key")
        return self


def _names_differ(layers: list[MapLayer]) -> list[MapLayer]:
    names = [layer.name for layer in layers]
    if len(set(names)) != len(names):
        raise ValueError("two layers have one name")
    return layers


class Map(Strict):
    """What the console shows beside the vehicles."""

    layers: Annotated[list[MapLayer], AfterValidator(_names_differ)] = Field(
        default_factory=list, description="beneath the vehicles, the first lowest"
    )
