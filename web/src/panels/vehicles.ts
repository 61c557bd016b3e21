/** The list of vehicles: find, filter, sort, select. */

import type { Situation } from "../shell/situation.ts";
import { button, el, setShown, setText } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";
import { FilterChips } from "./filter-chips.ts";
import { count } from "../format.ts";
import type { Panel } from "./panel.ts";
import { rosterColumns } from "./roster-columns.ts";
import type { Column } from "./roster-columns.ts";
import { RosterRows, sorted } from "./roster-rows.ts";
import { RosterTable } from "./roster-table.ts";
import { UnitList } from "./unit-list.ts";
import { VehicleCard } from "./vehicle-card.ts";
import { VehicleFacts } from "./vehicle-facts.ts";

/** Numbers change all the time: rows trade places no more often than this, ms. */
const SORT_EVERY = 1000;

export class VehiclesPanel implements Panel {
  readonly id = "vehicles";
  readonly title = "Vehicles";
  open = false;
  readonly element = el("div", { class: "panel-vehicles" });
  readonly search = el("input", {
    testid: "roster-search",
    label: "Search vehicles by name",
    attributes: { type: "search", placeholder: "Search", autocomplete: "off", spellcheck: "false" },
  });
  private readonly shownCount = el("span", { class: "muted", role: "status" });
  private readonly clear = button({
    class: "quiet",
    text: "Clear",
    click: () => this.situation.selection.clearFilter(),
  });
  private readonly all = button({
    class: "quiet",
    text: "Select all",
    testid: "roster-select-all",
    click: () => this.selectAll(),
  });
  private readonly units: UnitList;
  private readonly nobody = el("p", { class: "empty", text: "No vehicle passes the filter." });
  private readonly facts: VehicleFacts;
  private readonly columns: Column[];
  private readonly rows: RosterRows;
  private readonly table: RosterTable;
  private readonly chips: FilterChips;
  private readonly card: VehicleCard;
  private by: Column;
  private descending = false;
  private sortedAt = -Infinity;

  constructor(private readonly situation: Situation) {
    const { fleet, hello, selection } = situation;
    this.facts = new VehicleFacts(situation);
    this.columns = rosterColumns(situation, this.facts);
    this.by = this.columns[0];
    this.rows = new RosterRows(fleet, hello.origins);
    this.table = new RosterTable(this.columns, this.facts, hello.roster.names, {
      select: (row, more) => {
        if (more || selection.several) selection.toggle(row);
        else selection.select(row);
      },
      chooses: (row) => selection.chooses(row),
      sort: (column) => this.sortBy(column),
    });
    this.chips = new FilterChips(hello, selection);
    this.units = new UnitList(situation, "unit");
    this.card = new VehicleCard(situation, this.facts);
    this.search.addEventListener("input", () => {
      selection.filter.text = this.search.value.trim();
      selection.changed();
    });
    this.search.addEventListener("keydown", (event) => this.onSearchKey(event));
    selection.onChange(() => this.onSelection());
    const find = el("label", { class: "search" }, icon("search"), this.search);
    const tools = el("div", { class: "tools" }, find, this.shownCount, this.clear, this.all);
    const { table, chips, units, card } = this;
    table.element.append(this.nobody);
    this.element.append(tools, chips.element, units.element, table.element, card.element);
    this.table.markSorted(this.by.id, this.descending);
  }

  badge(): string {
    return count(this.situation.fleet.size);
  }

  available(): boolean {
    return true;
  }

  refresh(): void {
    if (performance.now() - this.sortedAt >= SORT_EVERY) this.sort();
    else this.table.draw();
    this.units.refresh();
    this.card.refresh();
  }

  /** All that the filter shows, or all there are. */
  private selectAll(): void {
    const { selection } = this.situation;
    selection.selectMany([...this.rows.passing(selection.filter)]);
  }

  /** Enter takes the first that was found, the arrow goes down into the list. */
  private onSearchKey(event: KeyboardEvent): void {
    if (event.isComposing || !["Enter", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    this.sort();
    const first = this.table.first;
    if (first === null) return;
    this.table.element.focus();
    this.situation.selection.select(first);
  }

  private onSelection(): void {
    if (this.search.value.trim() !== this.situation.selection.filter.text) {
      this.search.value = this.situation.selection.filter.text;
    }
    if (!this.open) {
      this.sortedAt = -Infinity;
      return;
    }
    this.units.refresh();
    this.card.refresh();
    this.sort();
    this.table.select(this.situation.selection.selected, true);
  }

  private sort(): void {
    this.sortedAt = performance.now();
    const { selection, fleet } = this.situation;
    const passing = this.rows.passing(selection.filter);
    this.chips.show(this.rows.facets());
    const all = count(fleet.size);
    const some = `${count(passing.length)} of ${all}`;
    setText(this.shownCount, selection.filtering ? some : all);
    setShown(this.clear, selection.filtering);
    setShown(this.nobody, passing.length === 0);
    this.table.show(sorted(passing, this.by.value, this.descending));
  }

  private sortBy(column: Column): void {
    this.descending = this.by === column ? !this.descending : column.greatestFirst;
    this.by = column;
    this.table.markSorted(column.id, this.descending);
    this.sort();
  }
}
