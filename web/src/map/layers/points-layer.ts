/** Draws round points, each of its own size and colour. */

import { TableLayer } from "./table-layer.ts";
import type { Drawing } from "./table-layer.ts";

/** Bytes of a point: place, colour, diameter in pixels. */
export const POINT_BYTES = 16;

const VS = /* glsl */ `#version 300 es
in vec2 place;
in vec4 tint;
in float across;
flat out vec4 vTint;
flat out float vSize;
void main() {
  vTint = tint;
  vSize = across * mapView.pixels + 1.0;
  gl_Position = toClip(onScreen(place));
  gl_PointSize = vSize;
}
`;

const FS = /* glsl */ `#version 300 es
precision highp float;
flat in vec4 vTint;
flat in float vSize;
out vec4 fragColor;
void main() {
  float cover = clamp(vSize * (0.5 - length(gl_PointCoord - 0.5)), 0.0, 1.0);
  fragColor = vec4(vTint.rgb, vTint.a * cover);
}
`;

export class PointsLayer extends TableLayer {
  static layerName = "PointsLayer";

  protected drawing(): Drawing {
    return {
      vs: VS,
      fs: FS,
      topology: "point-list",
      layout: {
        name: "points",
        stepMode: "vertex",
        byteStride: POINT_BYTES,
        attributes: [
          { attribute: "place", format: "float32x2", byteOffset: 0 },
          { attribute: "tint", format: "unorm8x4", byteOffset: 8 },
          { attribute: "across", format: "float32", byteOffset: 12 },
        ],
      },
    };
  }
}
