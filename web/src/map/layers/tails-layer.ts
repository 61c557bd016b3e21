/** Draws tails: between each point of a ring of slices and the same vehicle's next one. */

import { InstancedLayer } from "./instanced-layer.ts";
import type { Drawing, InstanceTable } from "./instanced-layer.ts";

/** Bytes of a point: place, time, colour. */
export const POINT_BYTES = 16;

/** Points lie slice by slice; a slice holds every vehicle's point of one time. */
export interface TailTable extends InstanceTable {
  readonly vehicles: number;
}

const VS = /* glsl */ `#version 300 es
in vec2 corner;
in vec3 start;
in vec3 end;
in vec4 tint;
in vec4 endTint;
out float vAcross;
out float vOpaque;
flat out vec3 vColour;
void main() {
  // Where nobody knows, and from the newest slice back to the oldest, there is no line.
  if (tint.a == 0.0 || endTint.a == 0.0 || end.z < start.z) {
    gl_Position = NOWHERE;
    return;
  }
  vec2 from = onScreen(start.xy);
  vec2 to = onScreen(end.xy);
  vec2 along = to - from;
  float length = max(length(along), 0.001);
  vec2 side = vec2(-along.y, along.x) / length;
  bool last = corner.x > 0.0;
  float halfWidth = 0.75 + 0.5 / mapView.pixels;
  gl_Position = toClip((last ? to : from) + side * corner.y * halfWidth);
  float age = (mapView.extraA - (last ? end.z : start.z)) / mapView.extraB;
  vOpaque = tint.a * clamp(1.0 - age, 0.0, 1.0);
  vAcross = corner.y * halfWidth * mapView.pixels;
  vColour = tint.rgb;
}
`;

const FS = /* glsl */ `#version 300 es
precision highp float;
in float vAcross;
in float vOpaque;
flat in vec3 vColour;
out vec4 fragColor;
void main() {
  float edge = 0.75 * mapView.pixels + 0.5;
  fragColor = vec4(vColour, vOpaque * clamp(edge - abs(vAcross), 0.0, 1.0));
}
`;

export class TailsLayer extends InstancedLayer<{ now: number; duration: number }> {
  static layerName = "TailsLayer";

  protected drawing(): Drawing {
    const next = (this.props.table as TailTable).vehicles * POINT_BYTES;
    return {
      vs: VS,
      fs: FS,
      layout: {
        name: "points",
        stepMode: "instance",
        byteStride: POINT_BYTES,
        attributes: [
          { attribute: "start", format: "float32x3", byteOffset: 0 },
          { attribute: "tint", format: "unorm8x4", byteOffset: 12 },
          { attribute: "end", format: "float32x3", byteOffset: next },
          { attribute: "endTint", format: "unorm8x4", byteOffset: next + 12 },
        ],
      },
    };
  }

  protected extras(): [number, number] {
    return [this.props.now, this.props.duration];
  }
}
