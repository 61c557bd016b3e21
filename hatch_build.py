"""The build hook: has the console's page built before the package is put together."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "scripts"))
from build_page import PAGE, build_page, needed_from_pypi, skipped


class PageBuildHook(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return needed_from_pypi()

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if not skipped():
            build_page(Path(self.root))
        build_data["artifacts"].append(f"/{PAGE}/*")
