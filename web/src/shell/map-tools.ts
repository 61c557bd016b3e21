/** Buttons over the map, and a menu of what it shows. */

import type { FleetMap } from "../map/map.ts";
import { button, el, setShown } from "./dom.ts";
import { icon } from "./icons.ts";

/** What a menu over the map may hold: sections that somebody else fills. */
export interface MenuSection {
  title: string;
  element: HTMLElement;
}

export class MapTools {
  readonly element = el("div", { class: "map-tools", role: "toolbar", label: "Map" });
  private readonly menu = el("div", { class: "popover map-menu", testid: "map-menu", label: "What the map shows" });
  private readonly menuButton: HTMLButtonElement;
  private map: FleetMap | null = null;

  constructor() {
    const fit = { class: "icon-button", testid: "map-fit", label: "Show all", title: "Show all vehicles (A)" };
    const layers = { class: "icon-button", testid: "map-layers", label: "Layers", title: "What the map shows" };
    this.menuButton = button({ ...layers, click: () => this.toggleMenu() }, icon("layers"));
    this.element.append(
      button({ ...fit, click: () => this.map?.fit() }, icon("fit")),
      this.menuButton,
      this.menu,
    );
    this.close();
    setShown(this.menuButton, false);
  }

  attach(map: FleetMap): void {
    this.map = map;
  }

  /** Add a section to the menu; without any there is no menu. */
  add(section: MenuSection): void {
    this.menu.append(el("section", {}, el("h3", { text: section.title }), section.element));
    setShown(this.menuButton, true);
  }

  /** Whether there was anything to close. */
  close(): boolean {
    const open = !this.menu.hidden;
    setShown(this.menu, false);
    this.menuButton.setAttribute("aria-expanded", "false");
    return open;
  }

  private toggleMenu(): void {
    if (this.close()) return;
    setShown(this.menu, true);
    this.menuButton.setAttribute("aria-expanded", "true");
  }
}
