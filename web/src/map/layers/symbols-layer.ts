/** Draws symbols out of an atlas: a point each, in pixels that grow gently with the zoom. */

import type { Device, Texture } from "@luma.gl/core";
import { ATLAS_HEIGHT, ATLAS_WIDTH, drawAtlas, SHAPES } from "../symbols/atlas.ts";
import { TableLayer } from "./table-layer.ts";
import type { Drawing } from "./table-layer.ts";

/** Bytes of a symbol: place, heading, relative size, colour; shape, body, upright. */
export const SYMBOL_BYTES = 24;

const VS = /* glsl */ `#version 300 es
in vec2 place;
in vec2 headingAndSize;
in vec4 tint;
in vec4 look;
flat out vec4 vTint;
flat out vec2 vTurn;
flat out vec2 vShapeAndBody;
void main() {
  float angle = look.z > 0.0 ? 0.0 : headingAndSize.x - mapView.bearing;
  vTurn = vec2(cos(angle), sin(angle));
  vTint = tint;
  vShapeAndBody = look.xy * 255.0;
  gl_Position = toClip(onScreen(place));
  gl_PointSize = headingAndSize.y * mapView.extraB * mapView.pixels;
}
`;

const FS = /* glsl */ `#version 300 es
precision highp float;
uniform sampler2D atlas;
flat in vec4 vTint;
flat in vec2 vTurn;
flat in vec2 vShapeAndBody;
out vec4 fragColor;
void main() {
  vec2 from = gl_PointCoord - 0.5;
  vec2 cell = vec2(vTurn.x * from.x + vTurn.y * from.y, vTurn.x * from.y - vTurn.y * from.x) + 0.5;
  if (dot(from, from) > 0.25) discard;
  // Red: filled; green: filled with its outline; blue: hollow; opaqueness: striped.
  vec4 found = texture(atlas, vec2((vShapeAndBody.x + cell.x) / SHAPE_COUNT, cell.y));
  float body = vShapeAndBody.y < 0.5 ? found.r : vShapeAndBody.y < 1.5 ? found.b : found.a;
  float cover = max(found.g, body);
  if (cover < 0.02) discard;
  vec3 outline = vec3(mapView.extraA);
  fragColor = vec4(mix(outline, vTint.rgb, body / cover), cover * vTint.a);
}
`.replace("SHAPE_COUNT", SHAPES.length.toFixed(1));

/** Side of a symbol's quad, pixels; the symbol itself fills about three quarters. */
export function symbolSize(zoom: number, vehicles: number): number {
  const crowded = vehicles > 5000 ? 0.6 : vehicles > 800 ? 0.8 : 1;
  return crowded * Math.min(31, Math.max(14, 14 + (zoom - 13) * 3.4));
}

export class SymbolsLayer extends TableLayer<{ outline: number; vehicles: number }> {
  static layerName = "SymbolsLayer";

  protected drawing(): Drawing {
    return {
      vs: VS,
      fs: FS,
      topology: "point-list",
      layout: {
        name: "symbols",
        stepMode: "vertex",
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
        mipmapFilter: "nearest",
        addressModeU: "clamp-to-edge",
        addressModeV: "clamp-to-edge",
      },
    });
    texture.generateMipmapsWebGL();
    return texture;
  }
}
