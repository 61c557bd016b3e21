/** MapLibre's map as the console has it: flat, upright, with the run's own layers. */

import { Map as BaseMap, NavigationControl, ScaleControl, setWorkerUrl } from "maplibre-gl";
import type { Hello } from "../feed/messages.ts";
import { composeStyle } from "./base/style.ts";
import type { Palette } from "./palette.ts";

export function makeBaseMap(element: HTMLElement, hello: Hello, palette: Palette): BaseMap {
  const [lat, lon] = hello.run.origin;
  setWorkerUrl("map-worker.js");
  const container = document.createElement("div");
  container.className = "base";
  element.replaceChildren(container);
  const map = new BaseMap({
    container,
    style: composeStyle([], hello.world, palette, lat),
    center: [lon, lat],
    zoom: 16,
    maxZoom: 23,
    maxPitch: 0,
    pitchWithRotate: false,
    touchPitch: false,
    renderWorldCopies: false,
    fadeDuration: 0,
    attributionControl: { compact: true },
  });
  map.addControl(new NavigationControl({ visualizePitch: false }), "top-right");
  map.addControl(new ScaleControl({ maxWidth: 120, unit: "metric" }), "bottom-left");
  return map;
}
