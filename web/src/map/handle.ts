/** A handle on the map for tests. */

import type { Map as BaseMap } from "maplibre-gl";
import type { FleetMap } from "./map.ts";

/** `window.movenv`: meant for tests and for the curious, and for nothing else. */
export function offerForTests(
  fleetMap: FleetMap,
  map: BaseMap,
  counts: { frames: number; updates: number },
  project: (row: number) => { x: number; y: number },
): void {
  const handle = {
    fleetMap,
    /** MapLibre's map. */
    map,
    /** Where a vehicle's symbol is, in pixels of the page. */
    project,
    /** Frames drawn so far, and updates of the fleet among them. */
    get frames() {
      return counts.frames;
    },
    get updates() {
      return counts.updates;
    },
  };
  Object.assign(window, { movenv: handle });
}
