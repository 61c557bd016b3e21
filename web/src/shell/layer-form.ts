/** Adding a layer to the map: by address, from a file, or Google's with a key. */

import { button, el, setText } from "./dom.ts";

export type GoogleMap = "satellite" | "roadmap" | "terrain";
const GOOGLE: GoogleMap[] = ["satellite", "roadmap", "terrain"];

export interface LayerWish {
  name: string;
  url?: string;
  google?: GoogleMap;
  key?: string;
}

export interface LayerFormHandlers {
  add(wish: LayerWish): void;
  addFile(file: File): void;
}

export class LayerForm {
  readonly element = el("details", { class: "layer-form" }, el("summary", { text: "Add a layer" }));
  private readonly url = field("Address", "https://…/{z}/{x}/{y}.png", "layer-url");
  private readonly key = field("Google's key", "API key", "layer-key");
  private readonly google = el("select", { label: "Google's map" });
  private readonly file = el("input", {
    attributes: { type: "file", accept: ".geojson,.json,.pmtiles", hidden: "" },
  });
  private readonly answer = el("p", { class: "answer", role: "status" });

  constructor(private readonly handlers: LayerFormHandlers) {
    for (const map of GOOGLE) this.google.append(el("option", { text: map, attributes: { value: map } }));
    const hint = "Tiles, a style, a TileJSON, .pmtiles or .geojson. The browser keeps it.";
    this.element.append(
      this.form(this.url, el("p", { class: "muted", text: hint }), () => this.addUrl()),
      button({ class: "wide", text: "Open a file of yours…", click: () => this.file.click() }),
      this.file,
      this.form(this.key, this.google, () => this.addGoogle()),
      this.answer,
    );
    this.file.addEventListener("change", () => {
      for (const file of this.file.files ?? []) handlers.addFile(file);
      this.file.value = "";
    });
  }

  private form(input: HTMLInputElement, more: HTMLElement, send: () => void): HTMLFormElement {
    const add = button({ text: "Add", attributes: { type: "submit" } });
    const form = el("form", { class: "layer-add" }, input, add, more);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send();
    });
    return form;
  }

  private addUrl(): void {
    const url = this.url.value.trim();
    if (!url) return setText(this.answer, "Write the layer's address first.");
    if (!URL.canParse(url, location.href)) return setText(this.answer, "This is not an address.");
    setText(this.answer, "");
    this.handlers.add({ name: "", url });
    this.url.value = "";
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
