/** Buttons over the map. */

import type { FleetMap } from "../map/map.ts";
import type { Selection } from "../selection.ts";
import { button, el, setShown } from "./dom.ts";
import { FilterNotice } from "./filter-notice.ts";
import { icon } from "./icons.ts";
import { MapMenu } from "./map-menu.ts";
import type { OfferingMap } from "./map-menu.ts";

export class MapTools {
  readonly element = el("div", { class: "map-tools", role: "toolbar", label: "Map" });
  private menu: MapMenu | null = null;
  private readonly menuButton: HTMLButtonElement;
  private readonly several: HTMLButtonElement;
  private map: FleetMap | null = null;

  private readonly filter: FilterNotice;

  constructor(selection: Selection) {
    this.filter = new FilterNotice(selection);
    const fit = { class: "icon-button", testid: "map-fit", title: "Show all vehicles (A)" };
    const layers = { class: "icon-button", testid: "map-layers", title: "What the map shows" };
    const open = { label: "Layers", click: () => this.toggleMenu() };
    this.menuButton = button({ ...layers, ...open }, icon("layers"));
    const all = button({ ...fit, label: "Show all", click: () => this.map?.fit() }, icon("fit"));
    this.several = button(
      {
        class: "icon-button",
        testid: "map-several",
        label: "Select several",
        title: "Select several: clicks add, dragging draws a box (or hold Shift)",
        click: () => selection.setSeveral(!selection.several),
      },
      icon("several"),
    );
    selection.onChange(() => {
      this.several.setAttribute("aria-pressed", String(selection.several));
    });
    this.element.append(all, this.several, this.menuButton, this.filter.element);
    setShown(this.menuButton, false);
    document.addEventListener("pointerdown", (event) => {
      if (!this.element.contains(event.target as Node)) this.close();
    });
  }

  /** `say` is for what goes wrong with a layer. */
  attach(map: FleetMap & OfferingMap, say: (words: string) => void): void {
    this.map = map;
    const menu = new MapMenu(map, say);
    if (menu.empty) return;
    this.menu = menu;
    this.element.append(menu.element);
    setShown(this.menuButton, true);
    this.close();
  }

  refresh(): void {
    this.filter.refresh();
  }

  /** Whether there was anything to close. */
  close(): boolean {
    const open = this.menu !== null && !this.menu.element.hidden;
    const inside = this.menu?.element.contains(document.activeElement);
    this.show(false);
    if (open && inside) this.menuButton.focus();
    return open;
  }

  private toggleMenu(): void {
    this.show(this.menu !== null && this.menu.element.hidden !== false);
  }

  private show(open: boolean): void {
    if (this.menu) setShown(this.menu.element, open);
    this.menuButton.setAttribute("aria-expanded", String(open));
  }
}
