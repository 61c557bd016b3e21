/** Pointing at vehicles: a tip on hover, a click selects, a double click flies there. */

import type { Map as BaseMap, MapMouseEvent } from "maplibre-gl";
import type { Fleet } from "../fleet.ts";
import { Health } from "../fleet.ts";
import { age, fixed, heading } from "../format.ts";
import { stepWords } from "../missions.ts";

/** A symbol is meant within this distance, pixels. */
export const REACH = 12;

export interface PointerActions {
  nearest(x: number, y: number): number | null;
  select(row: number | null): void;
  goTo(row: number): void;
}

export class Pointer {
  private readonly tip = document.createElement("div");
  private at: { x: number; y: number } | null = null;
  private looking = false;

  constructor(
    private readonly map: BaseMap,
    parent: HTMLElement,
    private readonly fleet: Fleet,
    private readonly actions: PointerActions,
  ) {
    this.tip.className = "tip";
    this.tip.hidden = true;
    parent.append(this.tip);
    map.on("click", (event) => actions.select(actions.nearest(event.point.x, event.point.y)));
    map.on("dblclick", (event) => this.enter(event));
    map.on("mousemove", (event) => this.look(event.point));
    map.on("mouseout", () => this.look(null));
    map.on("dragstart", () => this.look(null));
  }

  private enter(event: MapMouseEvent): void {
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
    const row = at && !map.isMoving() ? this.actions.nearest(at.x, at.y) : null;
    map.getCanvas().style.cursor = row === null ? "" : "pointer";
    tip.hidden = row === null;
    if (row === null || !at) return;
    const [first, ...rest] = describe(this.fleet, row);
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
