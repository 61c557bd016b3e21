/** Selecting by a box: drag with Shift, or without while several are being selected. */

import type { Map as BaseMap } from "maplibre-gl";

/** A hand that moves less, pixels, has clicked. */
const LEAST = 4;

export interface BoxActions {
  /** Whether a drag of this kind draws a box now. */
  applies(shift: boolean): boolean;
  /** The corners of the box that was drawn, pixels of the map. */
  take(left: number, top: number, right: number, bottom: number): void;
}

export class BoxSelect {
  private readonly box = document.createElement("div");
  private readonly surface: HTMLElement;
  private begun: { id: number; x: number; y: number } | null = null;

  constructor(
    private readonly map: BaseMap,
    parent: HTMLElement,
    private readonly actions: BoxActions,
  ) {
    this.surface = map.getCanvasContainer();
    this.box.className = "selecting";
    this.box.hidden = true;
    parent.append(this.box);
    map.boxZoom.disable();
    // Else a browser would take a finger that draws for one that scrolls.
    this.surface.style.touchAction = "none";
    // Before the map, which would be dragged.
    this.surface.addEventListener("pointerdown", (event) => this.begin(event), { capture: true });
    window.addEventListener("pointermove", (event) => this.draw(event));
    window.addEventListener("pointerup", (event) => this.end(event, true));
    window.addEventListener("pointercancel", (event) => this.end(event, false));
  }

  private begin(event: PointerEvent): void {
    if (this.begun) return this.leave(); // a second finger: the map is zoomed
    if (event.button !== 0 || event.ctrlKey || !this.actions.applies(event.shiftKey)) return;
    this.begun = { id: event.pointerId, ...this.at(event) };
    this.map.dragPan.disable();
  }

  private draw(event: PointerEvent): void {
    if (event.pointerId !== this.begun?.id) return;
    const [left, top, right, bottom] = this.corners(event);
    if (this.box.hidden && Math.max(right - left, bottom - top) < LEAST) return;
    this.box.hidden = false;
    Object.assign(this.box.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
  }

  private end(event: PointerEvent, taken: boolean): void {
    if (event.pointerId !== this.begun?.id) return;
    const corners = this.corners(event);
    const drawn = !this.box.hidden;
    this.leave();
    if (taken && drawn) this.actions.take(...corners);
  }

  private leave(): void {
    this.begun = null;
    this.box.hidden = true;
    this.map.dragPan.enable();
  }

  private corners(event: PointerEvent): [number, number, number, number] {
    const { x, y } = this.at(event);
    const from = this.begun ?? { x, y };
    return [Math.min(from.x, x), Math.min(from.y, y), Math.max(from.x, x), Math.max(from.y, y)];
  }

  private at(event: PointerEvent): { x: number; y: number } {
    const { left, top } = this.surface.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}
