/** What draws the map. */

import type { Map as BaseMap } from "maplibre-gl";

/** Whether the browser draws without a graphics card. */
export function drawsInSoftware(map: BaseMap): boolean {
  const gl = map.getCanvas().getContext("webgl2");
  const told = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && told ? String(gl.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
