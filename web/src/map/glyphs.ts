/** Letters as pictures for the graphics card, drawn with the page's own font as they are needed. */

const SIZE = 12;
const PAD = 3;
const HALO = 3;
export const SHEET = 512;
/** Scripts whose letters depend on their neighbours: such a text is drawn as a whole. */
const JOINED = /[\u0590-\u08ff\u0900-\u0fff\u1780-\u18af\u200d\ufb1d-\ufdff\ufe70-\ufeff]|\p{M}/u;

export interface Glyph {
  /** Where it lies on the sheet, and how large it is with its margin, in pixels of the sheet. */
  left: number;
  top: number;
  wide: number;
  high: number;
  /** How far the next one is, pixels of the map. */
  advance: number;
}

export class Glyphs {
  /** Pixels of the sheet for one of the map. */
  readonly ratio = Math.min(Math.max(Math.ceil(devicePixelRatio || 1), 1), 2);
  /** Counts changes of the sheet. */
  changed = 0;
  private readonly known = new Map<string, Glyph>();
  private readonly widths = new Map<string, number>();
  private readonly papers = [this.paper(), this.paper()];
  private next = { left: 0, top: 0 };

  /** The glyphs of a text, from left to right. */
  of(text: string, bold: boolean): Glyph[] {
    const parts = JOINED.test(text) ? [text] : Array.from(text);
    return parts.map((part) => this.known.get(key(part, bold)) ?? this.draw(part, bold));
  }

  width(text: string): number {
    let found = this.widths.get(text);
    if (found === undefined) {
      if (this.widths.size > 5000) this.widths.clear();
      found = this.of(text, false).reduce((sum, glyph) => sum + glyph.advance, 0);
      this.widths.set(text, found);
    }
    return found;
  }

  get side(): number {
    return SHEET * this.ratio;
  }

  /** Red: the letters; green: with their halo. */
  sheet(): Uint8Array {
    const [letters, halos] = this.papers.map((paper) => {
      return paper.getImageData(0, 0, this.side, this.side).data;
    });
    const sheet = new Uint8Array(letters.length);
    for (let i = 0; i < sheet.length; i += 4) {
      sheet[i] = letters[i + 3];
      sheet[i + 1] = halos[i + 3];
    }
    return sheet;
  }

  private paper(): CanvasRenderingContext2D {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = this.side;
    const paper = canvas.getContext("2d", { willReadFrequently: true })!;
    paper.scale(this.ratio, this.ratio);
    paper.textBaseline = "middle";
    paper.lineJoin = "round";
    paper.lineWidth = HALO;
    return paper;
  }

  private draw(part: string, bold: boolean): Glyph {
    const [letters, halos] = this.papers;
    const font = `${bold ? "600 " : ""}${SIZE}px system-ui, sans-serif`;
    letters.font = halos.font = font;
    const advance = letters.measureText(part).width;
    const [wide, high] = [Math.min(Math.ceil(advance) + 2 * PAD, SHEET), SIZE + 2 * PAD];
    const { left, top } = this.room(wide, high);
    letters.fillText(part, left + PAD, top + high / 2);
    halos.fillText(part, left + PAD, top + high / 2);
    halos.strokeText(part, left + PAD, top + high / 2);
    this.changed += 1;
    const scale = this.ratio;
    const glyph = {
      left: left * scale,
      top: top * scale,
      wide: wide * scale,
      high: high * scale,
      advance,
    };
    this.known.set(key(part, bold), glyph);
    return glyph;
  }

  /** A free place on the sheet; where it is full, the sheet begins anew. */
  private room(wide: number, high: number): { left: number; top: number } {
    if (this.next.left + wide > SHEET) this.next = { left: 0, top: this.next.top + high };
    if (this.next.top + high > SHEET) {
      this.next = { left: 0, top: 0 };
      this.known.clear();
      for (const paper of this.papers) paper.clearRect(0, 0, SHEET, SHEET);
    }
    const found = { ...this.next };
    this.next.left += wide;
    return found;
  }
}

/** How far the letters lie within their pictures, pixels of the map. */
export const MARGIN = PAD;

function key(part: string, bold: boolean): string {
  return bold ? `*${part}` : part;
}
