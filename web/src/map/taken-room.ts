/** Room on the map that something already takes, so that no writing lies over another. */

const CELL = 48;

/** Pixels of the map. */
export type Room = [left: number, top: number, right: number, bottom: number];

/** Boxes already taken, in cells, so that a look around is quick. */
export class TakenRoom {
  private readonly cells = new Map<number, Room[]>();

  constructor(
    private readonly width = Infinity,
    private readonly height = Infinity,
  ) {}

  /** Whether nothing of a box lies beyond the map's edges. */
  inside([left, top, right, bottom]: Room): boolean {
    return left >= 0 && top >= 0 && right <= this.width && bottom <= this.height;
  }

  free(box: Room): boolean {
    return !this.over(box, (cell) => {
      const found = this.cells.get(cell);
      return found !== undefined && found.some((other) => overlap(other, box));
    });
  }

  take(box: Room): void {
    this.over(box, (cell) => {
      const found = this.cells.get(cell);
      if (found) found.push(box);
      else this.cells.set(cell, [box]);
      return false;
    });
  }

  /** Take the first of several boxes that is free and inside; its place, or -1 for none. */
  takeFirst(boxes: Room[]): number {
    const found = boxes.findIndex((box) => this.inside(box) && this.free(box));
    if (found >= 0) this.take(boxes[found]);
    return found;
  }

  private over(box: Room, visit: (cell: number) => boolean): boolean {
    const [left, top, right, bottom] = box.map((edge) => Math.floor(edge / CELL));
    for (let y = top; y <= bottom; y++) {
      for (let x = left; x <= right; x++) if (visit(y * 4096 + x)) return true;
    }
    return false;
  }
}

function overlap(a: Room, b: Room): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}
