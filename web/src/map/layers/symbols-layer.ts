/** Draws symbols out of an atlas: one quad each, in pixels that grow gently with the zoom. */

import type { Device, Texture } from "@luma.gl/core";
import { ATLAS_HEIGHT, ATLAS_WIDTH, drawAtlas, SHAPES } from "../symbols/atlas.ts";
import { InstancedLayer } from "./instanced-layer.ts";
import type { Drawing } from "./instanced-layer.ts";

/** Bytes of a symbol: place, heading, relative size, colour; shape, body, upright. */
export const SYMBOL_BYTES = 24;

const VS = /* glsl */ `#version 300 es
in vec2 corner;
in vec2 place;
in vec2 headingAndSize;
in vec4 tint;
in vec4 look;
out vec2 vCell;
flat out vec4 vTint;
flat out float vBody;
void main() {
  float angle = look.z > 0.0 ? 0.0 : headingAndSize.x - mapView.bearing;
  vec2 turned = vec2(
    cos(angle) * corner.x - sin(angle) * corner.y,
    sin(angle) * corner.x + cos(angle) * corner.y
  );
  gl_Position = toClip(onScreen(place) + turned * headingAndSize.y * mapView.extraB * 0.5);
  vec2 cell = corner * 0.5 + 0.5;
  vCell = vec2((look.x * 255.0 + cell.x) / float(SHAPE_COUNT), cell.y);
  vTint = tint;
  vBody = look.y * 255.0;
}
`.replace("SHAPE_COUNT", String(SHAPES.length));

const FS = /* glsl */ `#version 300 es
precision highp float;
uniform sampler2D atlas;
in vec2 vCell;
flat in vec4 vTint;
flat in float vBody;
out vec4 fragColor;
void main() {
  // Red: filled; green: filled with its outline; blue: hollow; opaqueness: striped.
  vec4 found = texture(atlas, vCell);
  float body = vBody < 0.5 ? found.r : vBody < 1.5 ? found.b : found.a;
  float cover = max(found.g, body);
  if (cover < 0.02) discard;
  vec3 outline = vec3(mapView.extraA);
  fragColor = vec4(mix(outline, vTint.rgb, body / cover), cover * vTint.a);
}
`;

/** Side of a symbol's quad, pixels; the symbol itself fills about three quarters. */
export function symbolSize(zoom: number, vehicles: number): number {
  const crowded = vehicles > 5000 ? 0.6 : vehicles > 1500 ? 0.8 : 1;
  return crowded * Math.min(34, Math.max(15, 15 + (zoom - 13) * 3.8));
}

export class SymbolsLayer extends InstancedLayer<{ outline: number; vehicles: number }> {
  static layerName = "SymbolsLayer";

  protected drawing(): Drawing {
    return {
      vs: VS,
      fs: FS,
      layout: {
        name: "symbols",
        stepMode: "instance",
        byteStride: SYMBOL_BYTES,
        attributes: [
          { attribute: "place", format: "float32x2", byteOffset: 0 },
          { attribute: "headingAndSize", format: "float32x2", byteOffset: 8 },
          { attribute: "tint", format: "unorm8x4", byteOffset: 16 },
          { attribute: "look", format: "unorm8x4", byteOffset: 20 },
        ],
      },
    };
  }

  /** How light the outline is, 0 to 1; and the size. */
  protected extras(): [number, number] {
    return [this.props.outline, symbolSize(this.context.viewport.zoom, this.props.vehicles)];
  }

  protected makeTexture(device: Device): Texture {
    const texture = device.createTexture({
      data: drawAtlas(),
      width: ATLAS_WIDTH,
      height: ATLAS_HEIGHT,
      format: "rgba8unorm",
      mipLevels: 4,
      sampler: {
        minFilter: "linear",
        magFilter: "linear",
        mipmapFilter: "linear",
        addressModeU: "clamp-to-edge",
        addressModeV: "clamp-to-edge",
      },
    });
    texture.generateMipmapsWebGL();
    return texture;
  }
}
