/**
 * One draw call for a table of like things, whose bytes go to the graphics card as they are.
 * Nothing is drawn by instances: without a graphics card each would cost as much as a draw call.
 */

import { Layer } from "@deck.gl/core";
import type { DefaultProps, LayerContext, LayerProps, UpdateParameters } from "@deck.gl/core";
import { Buffer } from "@luma.gl/core";
import type { BufferLayout, Device, PrimitiveTopology, Texture } from "@luma.gl/core";
import { Model } from "@luma.gl/engine";
import { Camera } from "../mercator.ts";
import type { Anchor, Look } from "../mercator.ts";

/** Bytes of vertices, one after another; `changed` counts changes. */
export interface VertexTable {
  readonly bytes: Uint8Array;
  /** How many vertices, or indices where there are some, are drawn, from the first. */
  readonly count: number;
  /** In which order vertices are drawn; grows with the bytes and does not change otherwise. */
  readonly indices: Uint32Array<ArrayBuffer> | null;
  readonly changed: number;
  /** Bytes that are new since they were last taken, as [from, to]; null for all. */
  takeNews(): [number, number][] | null;
}

const EMPTY: VertexTable = {
  bytes: new Uint8Array(0),
  count: 0,
  indices: null,
  changed: 0,
  takeNews: () => null,
};

export type TableProps = LayerProps & {
  anchor: Anchor;
  table: VertexTable;
  /** `table.changed`, so that deck.gl notices. */
  changed: number;
};

const VIEW_BLOCK = /* glsl */ `\
layout(std140) uniform mapViewUniforms {
  vec4 turn;
  vec2 shift;
  vec2 halfSize;
  float bearing;
  float extraA;
  float extraB;
  float pixels;
} mapView;
`;

/** Where offsets lie on the screen: pixels from the middle, y down; and as clip coordinates. */
const VIEW_FUNCTIONS = /* glsl */ `\
vec2 onScreen(vec2 offset) {
  return vec2(dot(mapView.turn.xy, offset), dot(mapView.turn.zw, offset)) + mapView.shift;
}
vec4 toClip(vec2 screen) {
  return vec4(screen.x / mapView.halfSize.x, -screen.y / mapView.halfSize.y, 0.0, 1.0);
}
`;

const mapView = {
  name: "mapView",
  vs: VIEW_BLOCK + VIEW_FUNCTIONS,
  fs: VIEW_BLOCK,
  uniformTypes: {
    turn: "vec4<f32>",
    shift: "vec2<f32>",
    halfSize: "vec2<f32>",
    bearing: "f32",
    extraA: "f32",
    extraB: "f32",
    pixels: "f32",
  },
} as const;

interface TableState {
  model: Model;
  buffer: Buffer;
  indexBuffer: Buffer | null;
  /** The table that the buffer holds, and its `changed` then. */
  shown: VertexTable | null;
  seen: number;
  texture: Texture | null;
  [name: string]: unknown;
}

export interface Drawing {
  vs: string;
  fs: string;
  topology: PrimitiveTopology;
  /** How a vertex lies in its bytes. */
  layout: BufferLayout;
}

export abstract class TableLayer<More extends object = object> extends Layer<
  TableProps & More
> {
  static layerName = "TableLayer";
  static defaultProps: DefaultProps<TableProps> = {
    table: { type: "object", value: EMPTY, compare: false },
  };
  declare state: TableState;

  protected abstract drawing(): Drawing;

  /** Two numbers of the drawing's own. */
  protected extras(): [number, number] {
    return [0, 0];
  }

  protected makeTexture(_device: Device): Texture | null {
    return null;
  }

  /** deck.gl's attributes are not used. */
  protected _getAttributeManager(): null {
    return null;
  }

  initializeState(context: LayerContext): void {
    const texture = this.makeTexture(context.device);
    const model = this.makeModel(context.device);
    const buffers = this.makeBuffers(context.device, model);
    this.state = { model, ...buffers, texture, shown: null, seen: -1 };
    if (texture) model.setBindings({ atlas: texture });
  }

  private makeModel(device: Device): Model {
    const { vs, fs, layout, topology } = this.drawing();
    return new Model(device, {
      id: this.props.id,
      vs,
      fs,
      topology,
      modules: [mapView],
      bufferLayout: [layout],
      isInstanced: false,
      disableWarnings: true,
    });
  }

  /** Room for the table as large as it is now. */
  private makeBuffers(device: Device, model: Model): Pick<TableState, "buffer" | "indexBuffer"> {
    const { bytes, indices } = this.props.table;
    const buffer = device.createBuffer({ byteLength: Math.max(bytes.byteLength, 64) });
    model.setAttributes({ [this.drawing().layout.name]: buffer });
    let indexBuffer: Buffer | null = null;
    if (indices?.length) {
      indexBuffer = device.createBuffer({
        usage: Buffer.INDEX,
        data: indices,
        indexType: "uint32",
      });
      model.setIndexBuffer(indexBuffer);
    }
    return { buffer, indexBuffer };
  }

  updateState({ context }: UpdateParameters<this>): void {
    const { table } = this.props;
    const { model, seen, shown } = this.state;
    if (table === shown && table.changed === seen) return;
    let news = table.takeNews();
    if (table !== shown) news = null;
    if (this.state.buffer.byteLength !== Math.max(table.bytes.byteLength, 64)) {
      this.state.buffer.destroy();
      this.state.indexBuffer?.destroy();
      Object.assign(this.state, this.makeBuffers(context.device, model));
      news = null;
    }
    for (const [from, to] of news ?? [[0, table.bytes.byteLength]]) {
      if (to > from) this.state.buffer.write(table.bytes.subarray(from, to), from);
    }
    this.state.seen = table.changed;
    this.state.shown = table;
  }

  draw(): void {
    const { table, anchor } = this.props;
    if (table.count === 0) return;
    const look = this.context.viewport as unknown as Look;
    const { turn, shift } = new Camera(look, anchor);
    const [extraA, extraB] = this.extras();
    const { model } = this.state;
    const halfSize = [look.width / 2, look.height / 2] as const;
    const bearing = (look.bearing * Math.PI) / 180;
    const [pixelWidth] = this.context.device.getDefaultCanvasContext().getDrawingBufferSize();
    const pixels = pixelWidth / look.width;
    model.shaderInputs.setProps({
      mapView: { turn, shift, halfSize, bearing, extraA, extraB, pixels },
    });
    model.setVertexCount(table.count);
    model.draw(this.context.renderPass);
  }

  finalizeState(context: LayerContext): void {
    super.finalizeState(context);
    this.state.buffer?.destroy();
    this.state.indexBuffer?.destroy();
    this.state.texture?.destroy();
  }
}

/** How all of it is blended: flat, in the order of drawing. */
export const FLAT = {
  depthWriteEnabled: false,
  depthCompare: "always",
  blend: true,
  blendColorSrcFactor: "src-alpha",
  blendColorDstFactor: "one-minus-src-alpha",
  blendAlphaSrcFactor: "one",
  blendAlphaDstFactor: "one-minus-src-alpha",
  blendColorOperation: "add",
  blendAlphaOperation: "add",
} as const;
