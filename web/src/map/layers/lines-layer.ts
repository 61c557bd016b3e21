/** Draws straight lines of any width and colour, whole or dashed. */

import { TableLayer } from "./table-layer.ts";
import type { Drawing } from "./table-layer.ts";

/**
 * Bytes of each of a line's four corners, which only their numbers tell apart: both ends, colour;
 * width in eighths of a pixel, length of dashes in pixels.
 */
export const CORNER_BYTES = 24;
export const WIDTH_STEPS = 8;

const VS = /* glsl */ `#version 300 es
in vec4 ends;
in vec4 tint;
in vec4 look;
out vec2 vWhere;
flat out vec4 vTint;
flat out float vHalf;
flat out float vDash;
void main() {
  int number = gl_VertexID & 3;
  vec2 corner = vec2(number & 1, number >> 1) * 2.0 - 1.0;
  vec2 from = onScreen(ends.xy);
  vec2 to = onScreen(ends.zw);
  vec2 along = to - from;
  float length = max(length(along), 0.001);
  vec2 side = vec2(-along.y, along.x) / length;
  bool last = corner.x > 0.0;
  float halfWidth = look.x * 255.0 / 16.0;
  float drawn = halfWidth + 0.5 / mapView.pixels;
  gl_Position = toClip((last ? to : from) + side * corner.y * drawn);
  vWhere = vec2(last ? length : 0.0, corner.y * drawn * mapView.pixels);
  vTint = tint;
  vHalf = halfWidth * mapView.pixels;
  vDash = look.y * 255.0;
}
`;

const FS = /* glsl */ `#version 300 es
precision highp float;
in vec2 vWhere;
flat in vec4 vTint;
flat in float vHalf;
flat in float vDash;
out vec4 fragColor;
void main() {
  if (vDash > 0.0 && mod(vWhere.x, vDash * 2.0) > vDash) discard;
  fragColor = vec4(vTint.rgb, vTint.a * clamp(vHalf + 0.5 - abs(vWhere.y), 0.0, 1.0));
}
`;

export class LinesLayer extends TableLayer {
  static layerName = "LinesLayer";

  protected drawing(): Drawing {
    return {
      vs: VS,
      fs: FS,
      topology: "triangle-list",
      layout: {
        name: "lines",
        stepMode: "vertex",
        byteStride: CORNER_BYTES,
        attributes: [
          { attribute: "ends", format: "float32x4", byteOffset: 0 },
          { attribute: "tint", format: "unorm8x4", byteOffset: 16 },
          { attribute: "look", format: "unorm8x4", byteOffset: 20 },
        ],
      },
    };
  }
}
