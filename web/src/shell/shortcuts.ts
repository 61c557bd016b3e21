/** Which key does what. Keys that act on the run need Shift. */

import type { RunStateName } from "../feed/messages.ts";
import type { Shortcut } from "./keys.ts";
import type { ReplayBar } from "./replay-bar.ts";

/** Orders to who is selected. */
export interface OrderDeeds {
  draw(kind: "goal" | "route"): void;
  send(what: "hold" | "resume"): void;
}

export interface Deeds {
  search(): void;
  follow(): void;
  goTo(): void;
  fit(): void;
  theme(): void;
  escape(): void;
  help(): void;
  /** Null where no mark can be written. */
  mark: (() => void) | null;
  /** How many tabs there are. */
  tabs(): number;
  tab(place: number): void;
  togglePanel(): void;
  /** Null where no orders can be given. */
  orders: OrderDeeds | null;
  command: ((state: RunStateName) => void) | null;
  replay: ReplayBar | null;
}

export function shortcutsFor(deeds: Deeds): Shortcut[] {
  const found = [...looking(deeds), ...panels(deeds)];
  if (deeds.orders) found.push(...ordering(deeds.orders));
  if (deeds.command) found.push(...commands(deeds.command));
  if (deeds.replay) found.push(...replaying(deeds.replay));
  return found;
}

function looking(deeds: Deeds): Shortcut[] {
  const group = "Look";
  return [
    { group, keys: ["/"], words: "search vehicles", run: () => deeds.search() },
    {
      group,
      keys: [],
      written: "Enter",
      words: "in the search: select the first that is found (↓: into the list)",
      run: () => undefined,
    },
    {
      group,
      keys: ["f"],
      words: "follow the selected vehicle, or let it go",
      run: () => deeds.follow(),
    },
    { group, keys: ["g"], words: "go to the selected vehicle", run: () => deeds.goTo() },
    { group, keys: ["a"], words: "show all vehicles", run: () => deeds.fit() },
    {
      group,
      keys: [],
      written: "Shift click",
      words: "select one more, or one less (drag: all within a box)",
      run: () => undefined,
    },
    { group, keys: ["n"], words: "day or night colours", run: () => deeds.theme() },
    {
      group,
      keys: ["Escape"],
      written: "Esc",
      words: "close, deselect",
      run: () => deeds.escape(),
    },
    { group, keys: ["?"], words: "this help", run: () => deeds.help() },
  ];
}

function panels(deeds: Deeds): Shortcut[] {
  const group = "Panels";
  const { mark } = deeds;
  const marking: Shortcut[] = mark
    ? [{ group, keys: ["m"], words: "write a mark", run: () => mark() }]
    : [];
  const tabs = ["1", "2", "3", "4", "5", "6", "7"].map(
    (key, place): Shortcut => ({
      group,
      keys: [key],
      get written() {
        return place === 0 ? `1 … ${deeds.tabs()}` : "";
      },
      words: place === 0 ? "open a tab of the panel" : "",
      run: () => deeds.tab(place),
    }),
  );
  return [
    ...tabs,
    { group, keys: ["h"], words: "hide or show the panel", run: () => deeds.togglePanel() },
    ...marking,
  ];
}

function ordering(orders: OrderDeeds): Shortcut[] {
  const group = "Orders";
  const none = () => undefined;
  return [
    { group, keys: ["o"], words: "place a goal for the selected", run: () => orders.draw("goal") },
    { group, keys: ["d"], words: "draw a route for them", run: () => orders.draw("route") },
    {
      group,
      keys: [],
      written: "Enter",
      words: "end the route (Backspace: take its last point away)",
      run: none,
    },
    { group, keys: ["H"], words: "hold", run: () => orders.send("hold") },
    {
      group,
      keys: ["C"],
      words: "continue: resume what they did before",
      run: () => orders.send("resume"),
    },
  ];
}

function commands(command: (state: RunStateName) => void): Shortcut[] {
  const group = "Run";
  const states: [string, RunStateName][] = [
    ["R", "READY"],
    ["S", "SET"],
    ["G", "GO"],
    ["P", "PAUSE"],
  ];
  return [
    ...states.map(
      ([key, state]): Shortcut => ({ group, keys: [key], words: state, run: () => command(state) }),
    ),
    {
      group,
      keys: ["X"],
      written: "Shift X twice",
      words: "STOP, which ends the run",
      run: () => command("STOP"),
    },
  ];
}

function replaying(bar: ReplayBar): Shortcut[] {
  const group = "Replay";
  const step = (key: string, ticks: number, written: string, words: string): Shortcut => ({
    group,
    keys: [key],
    written,
    words,
    run: () => bar.step(ticks),
  });
  return [
    { group, keys: [" "], written: "Space", words: "play or hold", run: () => bar.togglePlay() },
    { group, keys: ["b"], words: "play backwards", run: () => bar.turn() },
    step("ArrowLeft", -1, "←", "one tick back"),
    step("ArrowRight", 1, "→", "one tick on"),
    step("ArrowDown", -10, "↓", "ten ticks back"),
    step("ArrowUp", 10, "↑", "ten ticks on"),
    { group, keys: ["Home"], words: "to the start", run: () => bar.toStart() },
    { group, keys: ["End"], words: "to the end", run: () => bar.toEnd() },
    { group, keys: ["["], words: "slower", run: () => bar.changeRate(-1) },
    { group, keys: ["]"], words: "faster", run: () => bar.changeRate(1) },
    { group, keys: [","], words: "previous notice", run: () => bar.jump("notice", -1) },
    { group, keys: ["."], words: "next notice", run: () => bar.jump("notice", 1) },
    { group, keys: [";"], words: "previous mark", run: () => bar.jump("mark", -1) },
    { group, keys: ["'"], words: "next mark", run: () => bar.jump("mark", 1) },
  ];
}
