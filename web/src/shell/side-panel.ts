/** The panel beside the map, or below it on an upright screen: tabs, one of which is open. */

import type { Panel } from "../panels/panel.ts";
import { button, el, setShown, setText } from "./dom.ts";
import { Grip } from "./grip.ts";
import { icon } from "./icons.ts";

const KEPT = "movenv-tab";

interface Tab {
  panel: Panel;
  button: HTMLButtonElement;
  badge: HTMLElement;
  place: HTMLElement;
}

export class SidePanel {
  readonly element = el("aside", { class: "side", label: "Panels", id: "side" });
  private readonly tabs: Tab[];
  private readonly list = el("div", { class: "tabs", role: "tablist", label: "Panels" });
  private readonly fold: HTMLButtonElement;
  private open: Tab;

  constructor(panels: Panel[]) {
    this.fold = button({
      class: "icon-button fold",
      testid: "panel-fold",
      click: () => this.toggle(),
    });
    this.tabs = panels.map((panel) => this.tab(panel));
    const kept = localStorage.getItem(KEPT);
    this.open = this.tabs.find((tab) => tab.panel.id === kept) ?? this.tabs[0];
    const head = el("div", { class: "side-head" }, this.list, this.fold);
    const body = el("div", { class: "side-body" }, ...this.tabs.map((tab) => tab.place));
    this.element.append(new Grip(() => this.refresh()).element, head, body);
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.show(this.open);
    this.showFolded();
  }

  get folded(): boolean {
    return document.body.classList.contains("folded");
  }

  toggle(): void {
    document.body.classList.toggle("folded");
    this.showFolded();
    this.refresh();
  }

  /** Open a tab by its name; unfolds the panel. */
  openPanel(id: string): void {
    const found = this.tabs.find((tab) => tab.panel.id === id);
    if (!found?.panel.available()) return;
    if (this.folded) this.toggle();
    this.show(found);
  }

  /** How many tabs there are now. */
  get count(): number {
    return this.tabs.filter((tab) => tab.panel.available()).length;
  }

  /** Open the tab at a place, counted among those that are there. */
  openPlace(place: number): void {
    const found = this.tabs.filter((tab) => tab.panel.available())[place];
    if (found) this.openPanel(found.panel.id);
  }

  refresh(): void {
    for (const tab of this.tabs) {
      setShown(tab.button, tab.panel.available());
      setText(tab.badge, tab.panel.badge());
    }
    if (!this.open.panel.available()) this.show(this.tabs[0]);
    if (!this.folded) this.open.panel.refresh();
  }

  private show(chosen: Tab): void {
    this.open = chosen;
    localStorage.setItem(KEPT, chosen.panel.id);
    for (const tab of this.tabs) {
      const mine = tab === chosen;
      tab.button.setAttribute("aria-selected", String(mine));
      tab.button.tabIndex = mine ? 0 : -1;
      setShown(tab.place, mine);
      tab.panel.open = mine && !this.folded;
    }
    this.refresh();
  }

  private showFolded(): void {
    this.fold.replaceChildren(icon(this.folded ? "left" : "right"));
    const words = this.folded ? "Show the panel (H)" : "Hide the panel (H)";
    this.fold.title = words;
    this.fold.setAttribute("aria-label", words);
    this.fold.setAttribute("aria-expanded", String(!this.folded));
    this.open.panel.open = !this.folded;
  }

  private tab(panel: Panel): Tab {
    const badge = el("span", { class: "badge" });
    const looks = { class: "tab", role: "tab", id: `tab-${panel.id}`, testid: `tab-${panel.id}` };
    const attributes = { "aria-controls": `panel-${panel.id}` };
    const shown = button({ ...looks, attributes }, el("span", { text: panel.title }), badge);
    const labelled = { "aria-labelledby": `tab-${panel.id}` };
    const where = { class: "tab-panel", role: "tabpanel", id: `panel-${panel.id}` };
    const place = el("div", { ...where, attributes: labelled });
    place.append(panel.element);
    shown.addEventListener("click", () => this.openPanel(panel.id));
    this.list.append(shown);
    return { panel, button: shown, badge, place };
  }

  private onKey(event: KeyboardEvent): void {
    const here = this.tabs.filter((tab) => tab.panel.available());
    const now = here.indexOf(this.open);
    const next: Record<string, number> = {
      ArrowRight: (now + 1) % here.length,
      ArrowLeft: (now + here.length - 1) % here.length,
      Home: 0,
      End: here.length - 1,
    };
    if (!(event.key in next)) return;
    event.preventDefault();
    this.show(here[next[event.key]]);
    this.open.button.focus();
  }
}
