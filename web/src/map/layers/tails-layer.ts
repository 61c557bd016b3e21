/** Draws tails: from each point of a ring of slices to the same vehicle's next one, thinly. */

import { TableLayer } from "./table-layer.ts";
import type { Drawing } from "./table-layer.ts";

/** Bytes of a point: place, time, colour. */
export const POINT_BYTES = 16;

const VS = /* glsl */ `#version 300 es
in vec3 point;
in vec4 tint;
out float vOpaque;
flat out vec3 vColour;
void main() {
  gl_Position = toClip(onScreen(point.xy));
  float age = (mapView.extraA - point.z) / mapView.extraB;
  vOpaque = tint.a * clamp(1.0 - age, 0.0, 1.0);
  vColour = tint.rgb;
}
`;

const FS = /* glsl */ `#version 300 es
precision highp float;
in float vOpaque;
flat in vec3 vColour;
out vec4 fragColor;
void main() {
  fragColor = vec4(vColour, vOpaque);
}
`;

export class TailsLayer extends TableLayer<{ now: number; duration: number }> {
  static layerName = "TailsLayer";

  protected drawing(): Drawing {
    return {
      vs: VS,
      fs: FS,
      topology: "line-list",
      layout: {
        name: "points",
        stepMode: "vertex",
        byteStride: POINT_BYTES,
        attributes: [
          { attribute: "point", format: "float32x3", byteOffset: 0 },
          { attribute: "tint", format: "unorm8x4", byteOffset: 12 },
        ],
      },
    };
  }

  protected extras(): [number, number] {
    return [this.props.now, this.props.duration];
  }
}
