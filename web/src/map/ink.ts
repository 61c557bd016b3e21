/** Everything written on the map: a sheet over it with the page's own fonts. */

import type { Camera } from "./mercator.ts";

const FONT = "12px system-ui, sans-serif";

export interface Writing {
  text: string;
  /** Offsets to the map's anchor. */
  x: number;
  y: number;
  /** Pixels from there: left end and middle of the text. */
  dx: number;
  dy: number;
  colour: string;
  bold?: boolean;
}

export class Ink {
  readonly canvas = document.createElement("canvas");
  private readonly paper: CanvasRenderingContext2D;
  private readonly widths = new Map<string, number>();
  private blank = true;

  constructor(parent: HTMLElement) {
    this.canvas.className = "ink";
    parent.append(this.canvas);
    this.paper = this.canvas.getContext("2d")!;
    this.paper.font = FONT;
  }

  width(text: string): number {
    let found = this.widths.get(text);
    if (found === undefined) {
      if (this.widths.size > 5000) this.widths.clear();
      found = this.paper.measureText(text).width;
      this.widths.set(text, found);
    }
    return found;
  }

  /** Write all of it anew, at once legible on any ground. */
  write(camera: Camera, writings: Iterable<Writing>, halo: string): void {
    this.fit(camera.look.width, camera.look.height);
    const { paper } = this;
    if (!this.blank) paper.clearRect(0, 0, camera.look.width, camera.look.height);
    this.blank = true;
    paper.strokeStyle = halo;
    for (const { text, x, y, dx, dy, colour, bold } of writings) {
      const left = Math.round(camera.screenX(x, y) + dx);
      const middle = Math.round(camera.screenY(x, y) + dy);
      paper.font = bold ? `600 ${FONT}` : FONT;
      paper.strokeText(text, left, middle);
      paper.fillStyle = colour;
      paper.fillText(text, left, middle);
      this.blank = false;
    }
  }

  private fit(width: number, height: number): void {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width === wide && this.canvas.height === high) return;
    this.canvas.width = wide;
    this.canvas.height = high;
    this.paper.scale(ratio, ratio);
    this.paper.textBaseline = "middle";
    this.paper.lineJoin = "round";
    this.paper.lineWidth = 3;
  }
}
