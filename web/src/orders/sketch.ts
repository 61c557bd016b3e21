/** What the operator draws on the map: a goal, or the points of a route. */

export type SketchKind = "goal" | "route";
/** Longitude and latitude, degrees. */
export type Place = readonly [lon: number, lat: number];

export class Sketch {
  /** What is being drawn now; null while nothing is. */
  drawing: SketchKind | null = null;
  points: Place[] = [];
  /** Where the pointer is, while something is drawn. */
  pointer: Place | null = null;
  private readonly listeners = new Set<() => void>();

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  begin(kind: SketchKind): void {
    this.drawing = kind;
    this.points = [];
    this.changed();
  }

  /** A goal is done with its only point; a route goes on. */
  put(place: Place): void {
    if (!this.drawing) return;
    this.points = [...this.points, place];
    if (this.drawing === "goal") this.end();
    else this.changed();
  }

  /** Take the last point away. */
  back(): void {
    this.points = this.points.slice(0, -1);
    this.changed();
  }

  /** What is drawn stays; without any point there is nothing. */
  end(): void {
    this.drawing = null;
    this.pointer = null;
    this.changed();
  }

  clear(): void {
    this.points = [];
    this.end();
  }

  point(at: Place | null): void {
    this.pointer = at;
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
