/** The map: what `main` needs of it. */

import type { Hello, Sighted } from "../feed/messages.ts";
import type { Fleet } from "../fleet.ts";
import type { Selection } from "../selection.ts";

export interface MapHandlers {
  /** The view has changed: west, south, east, north, with some margin. */
  view(box: [number, number, number, number]): void;
  select(row: number | null): void;
}

export class FleetMap {
  constructor(
    readonly element: HTMLElement,
    readonly hello: Hello,
    readonly fleet: Fleet,
    readonly selection: Selection,
    readonly authorization: Record<string, string>,
    readonly handlers: MapHandlers,
  ) {}

  /** Draw what `fleet` holds now; resolves when it is on the screen. */
  async draw(): Promise<void> {
    this.element.textContent = `${this.fleet.size} vehicles, t = ${this.fleet.t.toFixed(1)} s`;
  }

  /** Searchers' finds that hold now. */
  setSighted(_sighted: Sighted[]): void {}

  setTheme(_theme: "day" | "night"): void {}

  /** Show everyone. */
  fit(): void {}

  /** Bring a vehicle into view. */
  goTo(_row: number): void {}
}
