/** The page around the map: bars, panels, keys. */

import type { Api } from "../api.ts";
import type { Hello, Pair, ReplayWish, RunEvent, Status } from "../feed/messages.ts";
import type { LinkState } from "../feed/link.ts";
import type { Fleet } from "../fleet.ts";
import type { FleetMap } from "../map/map.ts";
import type { Selection } from "../selection.ts";

export interface ShellParts {
  hello: Hello;
  fleet: Fleet;
  selection: Selection;
  api: Api;
  replay(wish: ReplayWish): void;
}

export class Shell {
  /** Where the map goes. */
  readonly mapElement = document.createElement("div");

  constructor(
    root: HTMLElement,
    readonly parts: ShellParts,
  ) {
    root.replaceChildren(this.mapElement);
  }

  /** The map is there: for buttons and keys that move it. */
  attach(_map: FleetMap): void {}

  setLink(_state: LinkState, _why: string): void {}
  setStatus(_status: Status): void {}
  addEvents(_events: RunEvent[], _forget: boolean): void {}
  setPairs(_pairs: Pair[], _t: number): void {}
  say(_words: string): void {}

  /** The fleet has changed; called at every frame, so do little here. */
  tick(): void {}
}
