/** The menu of what the map shows: layers beneath the vehicles, tails behind them, and scans. */

import type { LayerWish } from "../map/base/own-layers.ts";
import type { ScansOf } from "../selection.ts";
import { button, el } from "./dom.ts";
import { icon } from "./icons.ts";
import { LayerForm } from "./layer-form.ts";

export interface OfferedLayer {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly from: string;
  readonly shown: boolean;
  /** 0 to 1. */
  readonly opacity: number;
  /** Why it is not there although it is wanted, in words. */
  readonly trouble: string | null;
}

export interface OfferedLayers {
  /** Lowest first. */
  readonly list: readonly OfferedLayer[];
  onChange(listener: () => void): void;
  onTrouble(listener: (name: string, words: string) => void): void;
  choose(id: string, shown: boolean): void;
  setOpacity(id: string, opacity: number): void;
  add(wish: LayerWish): string;
  addFile(file: File): string;
  remove(id: string): void;
}

/** What a map may offer beyond moving; the menu shows what there is. */
export interface OfferingMap {
  readonly layers?: OfferedLayers;
  /** s; 0 for none. */
  tailLength?: number;
  scansOf?: ScansOf;
}

const SCANS: [whose: ScansOf, words: string][] = [
  ["nobody", "none"],
  ["selected", "of the selected"],
  ["all", "of all"],
];

const TAILS: [seconds: number, words: string][] = [
  [0, "none"],
  [5, "5 s"],
  [15, "15 s"],
  [30, "30 s"],
  [60, "1 min"],
];
/** Layers that the user has brought can be taken away. */
const OWN = ["user", "file"];
/** The grid, the run's own areas and ground, and a whole style, have no opacity of their own. */
const WHOLE = ["grid", "world", "terrain", "style"];

export class MapMenu {
  readonly element = el("div", {
    class: "popover map-menu",
    testid: "map-menu",
    label: "What the map shows",
  });
  private readonly list = el("ul", { class: "layers" });
  private drawn = "";

  /** `say` is for what goes wrong with a layer. */
  constructor(map: OfferingMap, say: (words: string) => void) {
    const { layers } = map;
    if (layers) this.offerLayers(layers, say);
    if (map.tailLength !== undefined) {
      this.element.append(section("Tails", tails(map, map.tailLength)));
    }
    if (map.scansOf !== undefined) {
      this.element.append(section("Scans", scans(map, map.scansOf)));
    }
  }

  get empty(): boolean {
    return this.element.childElementCount === 0;
  }

  private offerLayers(layers: OfferedLayers, say: (words: string) => void): void {
    const form = new LayerForm({
      add: (wish) => void layers.add(wish),
      addFile: (file) => void layers.addFile(file),
    });
    this.element.append(section("Layers", this.list), form.element);
    layers.onChange(() => this.draw(layers));
    layers.onTrouble((name, words) => say(words.startsWith(name) ? words : `${name}: ${words}`));
    this.draw(layers);
  }

  /** Anew only where something else than opacity has changed: its slider may be in a hand. */
  private draw(layers: OfferedLayers): void {
    const key = JSON.stringify(layers.list.map((l) => [l.id, l.name, l.from, l.shown, l.trouble]));
    if (key === this.drawn) return;
    this.drawn = key;
    const topFirst = [...layers.list].reverse();
    const held = this.list.contains(document.activeElement) ? document.activeElement : null;
    const label = held?.getAttribute("aria-label");
    this.list.replaceChildren(...topFirst.map((layer) => line(layer, layers)));
    const same = [...this.list.querySelectorAll("input")];
    same.find((input) => label && input.getAttribute("aria-label") === label)?.focus();
  }
}

function line(layer: OfferedLayer, layers: OfferedLayers): HTMLElement {
  const looks = { label: `Show ${layer.name}`, testid: `layer-${layer.name}` };
  const box = el("input", { ...looks, attributes: { type: "checkbox" } });
  box.checked = layer.shown;
  box.addEventListener("change", () => layers.choose(layer.id, box.checked));
  const head = el("div", { class: "layer-head" }, el("label", {}, box, layer.name));
  if (OWN.includes(layer.from)) {
    const words = `Take ${layer.name} away`;
    const looks = { class: "icon-button", label: words, title: words };
    head.append(button({ ...looks, click: () => layers.remove(layer.id) }, icon("close")));
  }
  const item = el("li", {}, head);
  if (layer.trouble) item.append(el("p", { class: "trouble", text: layer.trouble }));
  if (layer.shown && !WHOLE.includes(layer.kind)) item.append(opacity(layer, layers));
  return item;
}

function opacity(layer: OfferedLayer, layers: OfferedLayers): HTMLElement {
  const range = { type: "range", min: "0.1", max: "1", step: "0.05" };
  const slider = el("input", { label: `Opacity of ${layer.name}`, attributes: range });
  slider.value = String(layer.opacity);
  slider.addEventListener("input", () => layers.setOpacity(layer.id, Number(slider.value)));
  return slider;
}

function tails(map: OfferingMap, length: number): HTMLElement {
  const offered = TAILS.some(([seconds]) => seconds === length)
    ? TAILS
    : [...TAILS, [length, `${length} s`] as [number, string]];
  const looks = { label: "Length of tails", testid: "tail-length" };
  return choice(looks, offered, length, (chosen) => (map.tailLength = Number(chosen)));
}

function scans(map: OfferingMap, whose: ScansOf): HTMLElement {
  const looks = { label: "Whose scans are shown", testid: "scans-of" };
  return choice(looks, SCANS, whose, (chosen) => (map.scansOf = chosen as ScansOf));
}

function choice<Value extends string | number>(
  looks: { label: string; testid: string },
  offered: [value: Value, words: string][],
  present: Value,
  choose: (value: string) => void,
): HTMLElement {
  const select = el("select", looks);
  for (const [value, words] of offered) {
    select.append(el("option", { text: words, attributes: { value: String(value) } }));
  }
  select.value = String(present);
  select.addEventListener("change", () => choose(select.value));
  return select;
}

function section(title: string, content: HTMLElement): HTMLElement {
  return el("section", {}, el("h3", { text: title }), content);
}
