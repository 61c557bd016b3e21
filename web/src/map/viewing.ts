/** Where the map looks: everyone, one vehicle, or along with it; and telling the server of it. */

import type { Map as BaseMap } from "maplibre-gl";
import type { Selection } from "../selection.ts";
import { latOf, lonOf } from "./mercator.ts";
import type { Anchor } from "./mercator.ts";
import type { Places } from "./places.ts";

export type Box = [west: number, south: number, east: number, north: number];

/** Told at most so often, ms; and so much more on every side, as a share of what is seen. */
const TELL_EVERY = 250;
const MARGIN = 0.25;
const MUCH_LARGER = 1.6;
/** How near vehicles are looked at from: larger ones, and the smallest. */
const NEAR = 18;
const NEAREST = 22;
const LARGE = 2;

/** The zoom that shows a vehicle of so many metres with what is around it. */
export function nearZoom(length: number): number {
  const smaller = Math.max(0, Math.log2(LARGE / Math.max(length, 0.01)));
  return Math.min(NEAREST, NEAR + 1.5 * smaller);
}

/** The box half as wide and high again. */
export function widened([west, south, east, north]: Box): Box {
  const [wide, high] = [(east - west) * MARGIN, (north - south) * MARGIN];
  return [
    west - wide,
    Math.max(south - high, -90),
    east + wide,
    Math.min(north + high, 90),
  ];
}

export class Viewing {
  private toldAt = -Infinity;
  private telling = false;
  private begun = false;
  private aimed = false;
  private turned = false;

  constructor(
    private readonly map: BaseMap,
    private readonly places: Places,
    private readonly selection: Selection,
    private readonly world: () => Box | null,
    /** A recording: where everyone stands at its beginning tells little of where they will go. */
    private readonly recorded: boolean,
    private readonly near: number,
    private readonly tell: (box: Box) => void,
  ) {
    map.on("move", () => this.report());
    map.on("resize", () => this.report());
    map.on("dragstart", () => selection.following && selection.follow(false));
    selection.onChange(() => this.aim());
    this.fit(false); // nobody is known yet: the run's ground and areas, until somebody is
  }

  /** The vehicles have moved; says whether the map did so too. */
  update(): boolean {
    if (!this.begun && this.places.bounds()) {
      this.begun = true;
      this.fit(false, this.recorded ? Infinity : MUCH_LARGER);
      this.report();
    }
    return this.follow();
  }

  /** Everyone, and the run's areas with them unless that makes everyone small. */
  fit(smoothly = true, most = MUCH_LARGER): void {
    if (this.selection.following) this.selection.follow(false);
    const around = this.places.bounds();
    const box = together(around && onGlobe(around, this.places.anchor), this.world(), most);
    if (!box) return;
    const options = { padding: 60, maxZoom: this.near, bearing: this.map.getBearing() };
    this.map.fitBounds(box, { ...options, duration: smoothly ? 600 : 0 });
  }

  goTo(row: number): void {
    const center = this.place(row);
    if (!center) return;
    this.map.flyTo({ center, zoom: Math.max(this.map.getZoom(), this.near), duration: 900 });
  }

  /** Near enough to tell them apart. */
  show(rows: number[]): void {
    const around = this.places.bounds(rows);
    if (!around) return;
    const box = onGlobe(around, this.places.anchor);
    this.map.fitBounds(box, {
      padding: Math.min(120, this.map.getContainer().clientHeight / 4),
      maxZoom: this.near + 1,
      bearing: this.map.getBearing(),
      duration: 900,
    });
  }

  private place(row: number): [number, number] | null {
    const { offsets, anchor } = this.places;
    if (Number.isNaN(offsets[row * 2])) return null;
    return [lonOf(anchor.x + offsets[row * 2]), latOf(anchor.y + offsets[row * 2 + 1])];
  }

  /** While somebody is followed, zooming keeps to the middle of the map. */
  private aim(): void {
    this.follow();
    if (this.aimed === this.selection.following) return;
    this.aimed = this.selection.following;
    const { scrollZoom, touchZoomRotate } = this.map;
    for (const zoom of [scrollZoom, touchZoomRotate]) {
      zoom.disable();
      zoom.enable(this.aimed ? { around: "center" } : undefined);
    }
  }

  /** A zoom or a flight under way would be broken off: it goes on first. */
  private follow(): boolean {
    const { selected, following } = this.selection;
    if (!following || selected === null || this.map.isMoving()) return false;
    const center = this.place(selected);
    if (center) this.map.jumpTo({ center, bearing: this.bearing(selected) });
    return center !== null;
  }

  /** Where the map's upper edge is to look; a map that no longer turns has north there again. */
  private bearing(row: number): number {
    const { turning } = this.selection;
    const north = this.turned ? 0 : this.map.getBearing();
    this.turned = turning;
    return turning ? this.places.heading(row) : north;
  }

  private report(): void {
    if (this.telling) return;
    this.telling = true;
    const wait = Math.max(0, this.toldAt + TELL_EVERY - performance.now());
    setTimeout(() => {
      this.telling = false;
      this.toldAt = performance.now();
      const bounds = this.map.getBounds();
      const box = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
      this.tell(widened(box as Box));
    }, wait);
  }
}

/** Both boxes, where the second makes the first at most so many times larger; else the first. */
export function together(
  first: Box | null,
  second: Box | null,
  most = MUCH_LARGER,
): Box | null {
  if (!first || !second) return first ?? second;
  const both: Box = [
    Math.min(first[0], second[0]),
    Math.min(first[1], second[1]),
    Math.max(first[2], second[2]),
    Math.max(first[3], second[3]),
  ];
  const size = ([west, south, east, north]: Box) => Math.max(east - west, north - south);
  return size(both) <= size(first) * most ? both : first;
}

function onGlobe([west, south, east, north]: Box, anchor: Anchor): Box {
  return [
    lonOf(anchor.x + west),
    latOf(anchor.y + south),
    lonOf(anchor.x + east),
    latOf(anchor.y + north),
  ];
}
