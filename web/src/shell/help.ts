/** The keys and the signs, on a sheet over the page. */

import type { Hello } from "../feed/messages.ts";
import { levelLook } from "../levels.ts";
import { CELL_TONES, occupancyOf } from "../map/base/occupancy.ts";
import { reliefOf, reliefTones } from "../map/base/relief.ts";
import { SOIL_TONES } from "../map/base/soils.ts";
import { GROUND_KINDS, groundKinds } from "../map/base/terrain.ts";
import { button, el, setTone } from "./dom.ts";
import { icon, vehicleSymbol } from "./icons.ts";
import { writtenKeys } from "./keys.ts";
import type { Shortcut } from "./keys.ts";

export class Help {
  readonly element = el("dialog", { class: "help", label: "Help", testid: "help-sheet" });
  private readonly columns = el("div", { class: "help-columns" });
  private readonly signs: HTMLElement[];

  constructor(
    private readonly shortcuts: Shortcut[],
    { roster, run, world, replay }: Hello,
  ) {
    const close = { class: "icon-button", label: "Close", click: () => this.close() };
    const title = el("h2", { text: "Keys and signs" });
    const head = el("header", { class: "card-head" }, title, button(close, icon("close")));
    this.signs = [signs(roster.kinds), notices(Object.keys(run.levels))];
    if (!replay) this.signs.push(scans());
    const legend = groundLegend(world);
    if (legend.length) this.signs.push(ground(legend));
    this.element.append(head, this.columns);
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.close();
    });
  }

  toggle(): void {
    if (this.element.open) this.close();
    else {
      this.draw();
      this.element.showModal();
    }
  }

  /** Anew each time: which keys there are depends on the tabs. */
  private draw(): void {
    const { shortcuts } = this;
    const groups = [...new Set(shortcuts.map((shortcut) => shortcut.group))];
    const tables = groups.map(
      (group) => keyTable(group, shortcuts.filter((s) => s.group === group)),
    );
    this.columns.replaceChildren(...tables, ...this.signs);
  }

  /** Whether there was anything to close. */
  close(): boolean {
    const open = this.element.open;
    this.element.close();
    return open;
  }
}

function keyTable(group: string, shortcuts: Shortcut[]): HTMLElement {
  const list = el("dl", { class: "keys" });
  for (const shortcut of shortcuts) {
    if (!shortcut.words) continue;
    const written = writtenKeys(shortcut).split(" ");
    const keys = written.map(
      (key) => (/^(…|twice|click)$/.test(key) ? ` ${key} ` : el("kbd", { text: key })),
    );
    list.append(el("dt", {}, ...keys), el("dd", { text: shortcut.words }));
  }
  return el("section", {}, el("h3", { text: group }), list);
}

function signs(kinds: string[]): HTMLElement {
  const list = el("dl", { class: "keys signs" });
  for (const kind of kinds) {
    const shown = [vehicleSymbol(), vehicleSymbol(), vehicleSymbol()];
    shown.forEach((symbol, i) => symbol.show(kind, i === 1 ? "real" : "virtual"));
    shown[2].element.classList.add("hollow");
    const symbols = shown.map((symbol) => symbol.element);
    list.append(el("dt", {}, ...symbols), el("dd", { text: kind.split("/").pop() }));
  }
  const words = "Blue: virtual. Orange: real. Purple: replayed. Hollow: not heard.";
  return el(
    "section",
    {},
    el("h3", { text: "Vehicles" }),
    list,
    el("p", { class: "muted", text: words }),
  );
}

function notices(levels: string[]): HTMLElement {
  const tags = levels.map((name, i) => {
    const tag = el("span", { class: "tag", text: name });
    setTone(tag, levelLook(i + 1, levels.length));
    return tag;
  });
  const words = "Lines join vehicles that are close, in the level's colour; thicker is closer.";
  const line = el("p", { class: "help-levels" }, ...tags);
  return el(
    "section",
    {},
    el("h3", { text: "Notices" }),
    line,
    el("p", { class: "muted", text: words }),
  );
}

function scans(): HTMLElement {
  const words =
    "Points are what the scanner of a selected vehicle met; larger blue ones are virtual " +
    "vehicles that were put into its scan.";
  return el("section", {}, el("h3", { text: "Scans" }), el("p", { class: "muted", text: words }));
}

/** What is written, and the palette's names of its colour and of its edge's. */
type Swatch = [words: string, tone: string, edge: string];

function groundLegend(world: GeoJSON.FeatureCollection): Swatch[] {
  const cells = occupancyOf(world.features) ? CELL_TONES : [];
  const made = new Set(reliefTones(reliefOf(world.features)));
  const soils = SOIL_TONES.filter((tone) => made.has(tone));
  return [
    ...groundKinds(world).map((kind): Swatch => {
      const [words, tone, edge] = GROUND_KINDS[kind];
      return [words, `terrain-${tone}`, `terrain-${edge}`];
    }),
    ...cells.map((tone): Swatch => [tone, `terrain-${tone}`, "terrain-occupied"]),
    ...soils.map((tone): Swatch => [tone, `soil-${tone}`, "terrain-verge"]),
  ];
}

function ground(legend: Swatch[]): HTMLElement {
  const list = el("dl", { class: "keys signs", testid: "ground-legend" });
  for (const [words, tone, edge] of legend) {
    const swatch = el("span", { class: "ground-swatch" });
    swatch.style.background = `var(--${tone})`;
    swatch.style.borderColor = `var(--${edge})`;
    list.append(el("dt", {}, swatch), el("dd", { text: words }));
  }
  return el("section", {}, el("h3", { text: "Terrain" }), list);
}
