/** A list of many vehicles of which only the rows in sight exist. */

import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import { icon, vehicleSymbol } from "../shell/icons.ts";
import type { Column } from "./roster-columns.ts";
import { conditionTone } from "./vehicle-facts.ts";
import type { VehicleFacts } from "./vehicle-facts.ts";

/** Rows kept ready beyond the edges. */
const SPARE = 4;

/** So little beyond the edge, pixels, is none. */
const EDGE = 4;
/** Any other is written beside the name, for whoever cannot tell the colours. */
const USUAL_ORIGIN = "virtual";

interface Line {
  element: HTMLElement;
  symbol: ReturnType<typeof vehicleSymbol>;
  cells: HTMLElement[];
  origin: HTMLElement;
  row: number;
  place: number;
}

export interface RosterTableHandlers {
  /** `more` adds to who is selected, or takes away. */
  select(row: number, more: boolean): void;
  chooses(row: number): boolean;
  sort(column: Column): void;
}

export class RosterTable {
  readonly element = el("div", {
    class: "roster",
    role: "grid",
    label: "Vehicles",
    testid: "roster",
  });
  private readonly head = el("div", { class: "roster-head", role: "row" });
  private readonly body = el("div", { class: "roster-body", role: "rowgroup" });
  private readonly lines: Line[] = [];
  /** Sideways there is more to see. */
  private readonly more: HTMLButtonElement;
  private order: Uint32Array = new Uint32Array(0);
  private selected: number | null = null;
  private readonly rowHeight = matchMedia("(pointer: coarse)").matches ? 44 : 27;

  constructor(
    private readonly columns: Column[],
    private readonly facts: VehicleFacts,
    private readonly names: string[],
    private readonly handlers: RosterTableHandlers,
  ) {
    this.element.tabIndex = 0;
    this.element.setAttribute("aria-multiselectable", "true");
    const widths = columns.map((column) => `${column.width / 13}em`).join(" ");
    this.element.style.setProperty("--columns", widths);
    this.element.style.setProperty("--row-height", `${this.rowHeight}px`);
    for (const column of columns) this.head.append(this.heading(column));
    const more = { class: "roster-more", title: "More columns", label: "More columns" };
    this.more = button({ ...more, click: () => this.slide() }, icon("right"));
    this.head.append(this.more);
    this.element.append(this.head, this.body);
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** The row at the top of the list; null while it is empty. */
  get first(): number | null {
    return this.order[0] ?? null;
  }

  /** Show these rows in this order. */
  show(order: Uint32Array): void {
    this.order = order;
    this.body.style.height = `${order.length * this.rowHeight}px`;
    this.element.setAttribute("aria-rowcount", String(order.length + 1));
    this.draw();
  }

  markSorted(id: string, descending: boolean): void {
    for (const heading of this.head.querySelectorAll("[role=columnheader]")) {
      const mine = (heading as HTMLElement).dataset.column === id;
      heading.setAttribute("aria-sort", !mine ? "none" : descending ? "descending" : "ascending");
    }
  }

  /** Go on from this row with the keyboard; scroll to it if asked. */
  select(row: number | null, reveal: boolean): void {
    this.selected = row;
    if (row !== null && reveal) this.reveal(this.order.indexOf(row));
    this.draw();
  }

  /** Write what the rows in sight show. */
  draw(): void {
    const height = this.element.clientHeight;
    if (!height) return;
    setShown(this.more, this.beyond > EDGE);
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.rowHeight) - SPARE);
    const shown = Math.ceil(height / this.rowHeight) + 2 * SPARE;
    const count = Math.max(0, Math.min(shown, this.order.length - first));
    while (this.lines.length < count) this.addLine();
    this.lines.forEach((line, i) => {
      line.element.hidden = i >= count;
      if (i < count) this.write(line, first + i);
    });
  }

  /** How far the columns reach beyond the right edge, pixels. */
  private get beyond(): number {
    const { scrollWidth, scrollLeft, clientWidth } = this.element;
    return scrollWidth - scrollLeft - clientWidth;
  }

  private slide(): void {
    this.element.scrollBy({ left: this.element.clientWidth * 0.6, behavior: "smooth" });
  }

  private write(line: Line, place: number): void {
    const row = this.order[place];
    if (line.row !== row) {
      line.row = row;
      line.element.dataset.testid = `roster-row-${this.names[row]}`;
      const origin = this.facts.origin(row);
      line.symbol.show(this.facts.kind(row), origin);
      setText(line.origin, origin === USUAL_ORIGIN ? "" : origin);
    }
    if (line.place !== place) {
      line.place = place;
      line.element.style.transform = `translateY(${place * this.rowHeight}px)`;
      line.element.setAttribute("aria-rowindex", String(place + 2));
      line.element.classList.toggle("odd", place % 2 === 1);
    }
    const chosen = String(this.handlers.chooses(row));
    if (line.element.getAttribute("aria-selected") !== chosen) {
      line.element.setAttribute("aria-selected", chosen);
    }
    setTone(line.element, conditionTone(this.facts.health(row)));
    this.columns.forEach((column, i) => setText(line.cells[i], column.text(row)));
  }

  private addLine(): void {
    const symbol = vehicleSymbol();
    const cells = this.columns.map(() => el("span"));
    const wrapped = cells.map((cell, i) =>
      el("div", { class: `cell ${cellClass(this.columns[i])}`, role: "gridcell" }, cell),
    );
    const origin = el("span", { class: "origin" });
    wrapped[0].prepend(symbol.element);
    wrapped[0].append(origin);
    const element = el("div", { class: "roster-row", role: "row" }, ...wrapped);
    const line: Line = { element, symbol, cells, origin, row: -1, place: -1 };
    element.addEventListener("click", (event) => {
      this.handlers.select(line.row, event.shiftKey || event.ctrlKey || event.metaKey);
    });
    // Else Shift would mark the text between two clicks.
    element.addEventListener("mousedown", (event) => event.shiftKey && event.preventDefault());
    this.lines.push(line);
    this.body.append(element);
  }

  private heading(column: Column): HTMLElement {
    const sort = { class: "sort", title: column.hint, testid: `roster-sort-${column.id}` };
    const heading = el(
      "div",
      { class: `cell ${cellClass(column)}`, role: "columnheader" },
      button({ ...sort, click: () => this.handlers.sort(column) }, column.title, icon("down")),
    );
    heading.dataset.column = column.id;
    return heading;
  }

  private onKey(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -this.order.length,
      End: this.order.length,
    };
    const step = steps[event.key];
    if (step === undefined || !this.order.length) return;
    event.preventDefault();
    event.stopPropagation();
    const now = this.selected === null ? -1 : this.order.indexOf(this.selected);
    const next = Math.min(this.order.length - 1, Math.max(0, now + step));
    this.handlers.select(this.order[next], false);
    this.reveal(next);
  }

  private reveal(place: number): void {
    if (place < 0) return;
    const top = place * this.rowHeight;
    const room = this.element.clientHeight - this.head.offsetHeight - this.rowHeight;
    const { scrollTop } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top > scrollTop + room) this.element.scrollTop = top - room;
  }
}

function cellClass(column: Column): string {
  return column.numeric ? `col-${column.id} number` : `col-${column.id}`;
}
