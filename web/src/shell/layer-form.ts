/** Adding a layer to the map: by address, from a file, or Google's with a key. */

import { kindOfUrl } from "../map/base/own-layers.ts";
import type { LayerWish } from "../map/base/own-layers.ts";
import { button, el, setShown, setText, setTone } from "./dom.ts";

const GOOGLE = ["satellite", "roadmap", "terrain"] as const;

export interface LayerFormHandlers {
  add(wish: LayerWish): void;
  addFile(file: File): void;
}

export class LayerForm {
  readonly element = el("details", { class: "layer-form" }, el("summary", { text: "Add a layer" }));
  private readonly url = field("Address", "https://…/{z}/{x}/{y}.png", "layer-url");
  private readonly parts = field("Layers within", "Layers within: roads, water", "layer-parts");
  private readonly key = field("Google's key", "Key for Google's maps", "layer-key");
  private readonly google = el("select", { label: "Google's map" });
  private readonly file = el("input", {
    attributes: { type: "file", accept: ".geojson,.json,.pmtiles", hidden: "" },
  });
  private readonly answer = el("p", { class: "answer", role: "status" });

  constructor(private readonly handlers: LayerFormHandlers) {
    for (const map of GOOGLE) {
      this.google.append(el("option", { text: map, attributes: { value: map } }));
    }
    const hint = "Tiles, a style, a TileJSON, .pmtiles or .geojson. The browser keeps it.";
    setTone(this.answer, "caution");
    this.element.append(
      this.answer,
      this.form(
        this.url,
        [this.parts, el("p", { class: "muted", text: hint })],
        () => this.addUrl(),
      ),
      button({ class: "wide", text: "Open a file of yours…", click: () => this.file.click() }),
      this.file,
      this.form(this.key, [this.google], () => this.addGoogle()),
    );
    this.url.addEventListener("input", () => this.askParts());
    this.askParts();
    this.file.addEventListener("change", () => {
      for (const file of this.file.files ?? []) handlers.addFile(file);
      this.file.value = "";
    });
  }

  private form(input: HTMLInputElement, more: HTMLElement[], send: () => void): HTMLFormElement {
    const add = button({ text: "Add", attributes: { type: "submit" } });
    const form = el("form", { class: "layer-add" }, input, add, ...more);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send();
    });
    return form;
  }

  private addUrl(): void {
    const url = this.url.value.trim();
    if (!url) return setText(this.answer, "Write the layer's address first.");
    const whole = /^https?:/.test(url) && URL.canParse(url);
    if (!whole) return setText(this.answer, "An address begins with https:// or http://.");
    const sourceLayers = this.parts.hidden ? [] : this.parts.value.split(/[\s,]+/).filter(Boolean);
    if (!this.parts.hidden && sourceLayers.length === 0) {
      return setText(this.answer, "Say which layers within the tiles to draw.");
    }
    setText(this.answer, "");
    this.handlers.add({ name: "", url, sourceLayers });
    this.url.value = this.parts.value = "";
    this.askParts();
  }

  /** Vector tiles do not tell what is in them. */
  private askParts(): void {
    const { value } = this.url;
    setShown(this.parts, value.includes("{z}") && kindOfUrl(value.trim()) === "vector");
  }

  private addGoogle(): void {
    const key = this.key.value.trim();
    if (!key) return setText(this.answer, "Google's maps need a key of yours.");
    setText(this.answer, "");
    const google = GOOGLE.find((map) => map === this.google.value) ?? "satellite";
    this.handlers.add({ name: `Google ${google}`, google, key });
    this.key.value = "";
  }
}

function field(label: string, placeholder: string, testid: string): HTMLInputElement {
  const attributes = { type: "text", placeholder, autocomplete: "off", spellcheck: "false" };
  return el("input", { label, testid, attributes });
}
