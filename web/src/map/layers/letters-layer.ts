/** Draws letters out of a sheet that grows as texts need them. */

import type { UpdateParameters } from "@deck.gl/core";
import type { Device, Texture } from "@luma.gl/core";
import type { Glyphs } from "../glyphs.ts";
import { TableLayer } from "./table-layer.ts";
import type { Drawing } from "./table-layer.ts";

/** Bytes of each of a letter's four corners: place, pixels from it, where on the sheet, colour. */
export const LETTER_BYTES = 28;

const VS = /* glsl */ `#version 300 es
in vec2 place;
in vec2 away;
in vec2 onSheet;
in vec4 tint;
out vec2 vOnSheet;
flat out vec3 vTint;
void main() {
  // The text begins on a whole pixel, or it would be blurred.
  vec2 begin = floor((onScreen(place) + mapView.halfSize) * mapView.pixels + 0.5) / mapView.pixels;
  gl_Position = toClip(begin - mapView.halfSize + away);
  vOnSheet = onSheet / mapView.extraA;
  vTint = tint.rgb;
}
`;

const FS = /* glsl */ `#version 300 es
precision highp float;
uniform sampler2D atlas;
in vec2 vOnSheet;
flat in vec3 vTint;
out vec4 fragColor;
void main() {
  vec2 found = texture(atlas, vOnSheet).rg;
  float cover = max(found.r, found.g * 0.9);
  if (cover < 0.02) discard;
  fragColor = vec4(mix(vec3(mapView.extraB), vTint, found.r / cover), cover);
}
`;

export class LettersLayer extends TableLayer<{ glyphs: Glyphs; halo: number; sheet: number }> {
  static layerName = "LettersLayer";

  protected drawing(): Drawing {
    return {
      vs: VS,
      fs: FS,
      topology: "triangle-list",
      layout: {
        name: "letters",
        stepMode: "vertex",
        byteStride: LETTER_BYTES,
        attributes: [
          { attribute: "place", format: "float32x2", byteOffset: 0 },
          { attribute: "away", format: "float32x2", byteOffset: 8 },
          { attribute: "onSheet", format: "float32x2", byteOffset: 16 },
          { attribute: "tint", format: "unorm8x4", byteOffset: 24 },
        ],
      },
    };
  }

  /** The sheet's side; and how light the halo is, 0 to 1. */
  protected extras(): [number, number] {
    return [this.props.glyphs.side, this.props.halo];
  }

  updateState(parameters: UpdateParameters<this>): void {
    super.updateState(parameters);
    const { glyphs, sheet } = this.props;
    if (sheet === parameters.oldProps.sheet) return;
    const { side } = glyphs;
    this.state.texture?.writeData(glyphs.sheet(), { width: side, height: side });
  }

  protected makeTexture(device: Device): Texture {
    const { side } = this.props.glyphs;
    return device.createTexture({
      data: this.props.glyphs.sheet(),
      width: side,
      height: side,
      format: "rgba8unorm",
      sampler: { minFilter: "linear", magFilter: "linear" },
    });
  }
}
