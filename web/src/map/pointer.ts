/**
 * Pointing at vehicles: a tip on hover, a click selects, a double click flies there. While a goal
 * or a route is drawn, clicks are its points instead.
 */

import type { Map as BaseMap, MapMouseEvent } from "maplibre-gl";
import type { Fleet } from "../fleet.ts";
import { Health } from "../fleet.ts";
import { age, fixed, heading } from "../format.ts";
import { stepWords } from "../missions.ts";
import type { Sketch } from "../orders/sketch.ts";

/** A symbol is meant within this distance, pixels. */
export const REACH = 12;
/** A second click so near the first, pixels, ends a route and is no point of its own. */
const SAME = 6;

export interface PointerActions {
  nearest(x: number, y: number): number | null;
  /** `more` for clicks that add and take away. */
  select(row: number | null, more: boolean): void;
  goTo(row: number): void;
  /** What is drawn with the pointer has changed. */
  redraw(): void;
  /** The name of what lies on the ground there; "" for nothing. */
  groundAt(x: number, y: number): string;
}

export class Pointer {
  private readonly tip = document.createElement("div");
  private at: { x: number; y: number } | null = null;
  private looking = false;

  constructor(
    private readonly map: BaseMap,
    parent: HTMLElement,
    private readonly fleet: Fleet,
    private readonly sketch: Sketch,
    private readonly actions: PointerActions,
  ) {
    this.tip.className = "tip";
    this.tip.hidden = true;
    parent.append(this.tip);
    map.on("click", (event) => this.click(event));
    map.on("dblclick", (event) => this.enter(event));
    map.on("mousemove", (event) => {
      if (sketch.drawing) {
        sketch.point([event.lngLat.lng, event.lngLat.lat]);
        actions.redraw();
      }
      this.look(event.point);
    });
    map.on("mouseout", () => {
      sketch.point(null);
      this.look(null);
    });
    map.on("dragstart", () => this.look(null));
  }

  private click(event: MapMouseEvent): void {
    const { point, lngLat, originalEvent } = event;
    if (!this.sketch.drawing) {
      const row = this.actions.nearest(point.x, point.y);
      return this.actions.select(row, originalEvent.shiftKey);
    }
    const last = this.sketch.points.at(-1);
    const before = last && this.map.project([last[0], last[1]]);
    if (before && Math.hypot(before.x - point.x, before.y - point.y) < SAME) return;
    this.sketch.put([lngLat.lng, lngLat.lat]);
  }

  private enter(event: MapMouseEvent): void {
    if (this.sketch.drawing) {
      event.preventDefault();
      return this.sketch.end();
    }
    const row = this.actions.nearest(event.point.x, event.point.y);
    if (row === null) return;
    event.preventDefault();
    this.actions.goTo(row);
  }

  private look(at: { x: number; y: number } | null): void {
    this.at = at;
    if (this.looking) return;
    this.looking = true;
    requestAnimationFrame(() => {
      this.looking = false;
      this.update();
    });
  }

  /** Say anew what is under the pointer: it, or the vehicles, have moved. */
  update(): void {
    const { at, tip, map } = this;
    const { drawing } = this.sketch;
    const still = at && !map.isMoving() && !drawing ? at : null;
    const row = still && this.actions.nearest(still.x, still.y);
    map.getCanvas().style.cursor = drawing ? "crosshair" : row === null ? "" : "pointer";
    const ground = still && row === null ? this.actions.groundAt(still.x, still.y) : "";
    tip.hidden = row === null && !ground;
    if (!at || tip.hidden) return;
    const [first, ...rest] = row === null ? [ground] : describe(this.fleet, row);
    const name = document.createElement("strong");
    name.textContent = first;
    tip.replaceChildren(name, rest.join("\n"));
    const { clientWidth } = map.getContainer();
    const left = at.x > clientWidth - 190 ? at.x - 12 - tip.offsetWidth : at.x + 14;
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(at.y + 10)}px)`;
  }
}

const HEALTH_WORDS: Record<number, string> = {
  [Health.Lost]: "lost",
  [Health.Stale]: "stale",
  [Health.Unheard]: "not heard",
};

/** What is known of a vehicle, in words; its name first. */
function describe(fleet: Fleet, row: number): string[] {
  const { roster } = fleet;
  const speed = fleet.waiting ? "" : `${fixed(fleet.speed[row], 1)} m/s, `;
  const words = [
    roster.names[row],
    roster.kinds[roster.kind[row]],
    `${speed}heading ${heading(fleet.heading[row])}`,
  ];
  const behavior = roster.behaviors[fleet.behavior[row] - 1];
  if (behavior) words.push(behavior);
  const step = stepWords(roster, row, fleet.step[row]);
  if (step) words.push(`mission: ${step}`);
  const health = HEALTH_WORDS[fleet.health[row]];
  const old = `${age(fleet.age[row])} old`;
  if (health) words.push(`${health}, ${old}`);
  else if (fleet.age[row] > 0) words.push(old);
  return words;
}
