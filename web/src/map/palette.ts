/** Colours of the map: its own stand in map.css, those it shares with the panels in palette.css. */

import { LEVEL_LOOKS } from "../levels.ts";
import type { LevelLook } from "../levels.ts";
import { SOIL_TONES } from "./base/soils.ts";
import type { SoilTone } from "./base/soils.ts";
import { GROUND_TONES } from "./base/terrain.ts";
import type { GroundTone } from "./base/terrain.ts";

/** Red, green, blue, opaqueness as the graphics card reads them: one little-endian word. */
export type Packed = number;

export interface Palette {
  background: string;
  grid: Packed;
  axis: Packed;
  ink: Packed;
  halo: Packed;
  quiet: Packed;
  area: string;
  route: string;
  obstacle: string;
  layer: string;
  ground: Record<GroundTone, string>;
  /** Of height maps, where the ground is level. */
  soils: Record<SoilTone, string>;
  /** Of goals and of the ways there. */
  order: Packed;
  /** Of a scan's points, and of those that are a virtual vehicle's. */
  scan: Packed;
  scanAltered: Packed;
  origins: Packed[];
  unknownOrigin: Packed;
  outline: Packed;
  ring: Packed;
  sighted: Record<"found" | "seen" | "lost", Packed>;
  /** Of lines, and of what is written at them. */
  levels: Record<LevelLook, Packed>;
  levelTexts: Record<LevelLook, Packed>;
  rasterDimming: number;
}

const HEX = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})?$/i;

export function packColour(text: string): Packed {
  const found = HEX.exec(text.trim());
  if (!found) throw new Error(`'${text}' is not written as #rrggbb or #rrggbbaa`);
  const [r, g, b, a] = [1, 2, 3, 4].map((i) => parseInt(found[i] ?? "ff", 16));
  return (r | (g << 8) | (b << 16) | (a << 24)) >>> 0;
}

/** Which colour a feature of the run's world has, by its role. */
export function roleColour(palette: Palette, role: unknown): string {
  if (["route", "slow", "stop"].includes(String(role))) return palette.route;
  return role === "obstacle" ? palette.obstacle : palette.area;
}

/** The colour with its opaqueness multiplied. */
export function fade(colour: Packed, by: number): Packed {
  const alpha = Math.round((colour >>> 24) * by);
  return ((colour & 0xffffff) | (alpha << 24)) >>> 0;
}

/** The colours of `element` as its style sheet has them now; `origins` as hello tells them. */
export function readPalette(element: Element, origins: Record<string, string>): Palette {
  const style = getComputedStyle(element);
  const text = (name: string) => style.getPropertyValue(`--map-${name}`).trim();
  const shared = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const packed = (name: string) => packColour(text(name));
  const ofLevels = (suffix: string) =>
    Object.fromEntries(
      LEVEL_LOOKS.map((look) => [look, packColour(shared(`level-${look}${suffix}`))]),
    ) as Record<LevelLook, Packed>;
  const numbers = Object.keys(origins).map(Number);
  const byOrigin: Packed[] = new Array(Math.max(0, ...numbers) + 1).fill(packed("unknown"));
  for (const number of numbers) {
    const colour = shared(origins[number]);
    if (colour) byOrigin[number] = packColour(colour);
  }
  return {
    background: text("background"),
    grid: packed("grid"),
    axis: packed("axis"),
    ink: packed("ink"),
    halo: packed("halo"),
    quiet: packed("quiet"),
    area: text("area"),
    route: text("route"),
    obstacle: text("obstacle"),
    layer: text("layer"),
    ground: Object.fromEntries(
      GROUND_TONES.map((tone) => [tone, shared(`terrain-${tone}`)]),
    ) as Record<GroundTone, string>,
    soils: Object.fromEntries(
      SOIL_TONES.map((tone) => [tone, shared(`soil-${tone}`)]),
    ) as Record<SoilTone, string>,
    order: packColour(shared("order")),
    scan: packed("scan"),
    scanAltered: packColour(shared("virtual")),
    origins: byOrigin,
    unknownOrigin: packed("unknown"),
    outline: packed("outline"),
    ring: packed("ring"),
    sighted: { found: packed("found"), seen: packed("seen"), lost: packed("sight-lost") },
    levels: ofLevels(""),
    levelTexts: ofLevels("-text"),
    rasterDimming: Number(text("raster-dimming")) || 0,
  };
}
