/** Orders in the words of the server and in those of people. */

import type { Deed, Roads, Roster, StandingOrder } from "../feed/messages.ts";
import { fixed, plural } from "../format.ts";
import { namesInShort, unitOf } from "../units.ts";
import type { Place } from "./sketch.ts";

export const FORMATIONS = ["column", "line", "wedge", "vee", "echelon", "diamond"];
export const ROADS: Roads[] = ["off", "prefer", "only"];

/** How vehicles are to go; null leaves it to them. */
export interface Manner {
  speed: number | null;
  roads: Roads;
  /** "" for none. */
  formation: string;
  spacing: number | null;
}

export interface OrderWish {
  what: Deed;
  vehicles: string[];
  unit: string | null;
  to: { lat: number; lon: number }[];
  speed?: number;
  roads?: Roads;
  formation?: string;
  spacing?: number;
}

/**
 * What is asked of the server, for those of `selected` who take orders. A whole unit is told by
 * its name; who of it takes no orders is left out by the server.
 */
export function orderWish(
  what: Deed,
  roster: Roster,
  selected: number[],
  takers: number[],
  points: readonly Place[],
  manner: Manner,
): OrderWish {
  const unit = unitOf(roster, selected);
  const wish: OrderWish = {
    what,
    vehicles: unit < 0 ? takers.map((row) => roster.names[row]) : [],
    unit: roster.units?.[unit] ?? null,
    to: what === "go" ? points.map(([lon, lat]) => ({ lat, lon })) : [],
  };
  if (what === "go") wish.roads = manner.roads;
  if (what === "hold" || what === "resume") return wish;
  if (manner.speed !== null) wish.speed = manner.speed;
  if (!manner.formation) return wish;
  wish.formation = manner.formation;
  if (manner.spacing !== null) wish.spacing = manner.spacing;
  return wish;
}

/** Why an order cannot be sent yet, in words; "" where it can. */
export function notYet(
  what: Deed,
  selected: number,
  takers: number,
  points: number,
  manner: Manner,
): string {
  if (selected === 0) return "Select vehicles or a unit first.";
  if (takers === 0) {
    return selected === 1 ? "It takes no orders." : "None of those selected takes orders.";
  }
  if (what === "go" && points === 0) return "Place a goal or draw a route on the map first.";
  if (what === "form" && !manner.formation) return "Choose a formation first.";
  if (what === "form" && takers < 2) return "A formation needs two vehicles or more.";
  return "";
}

/** Who of those selected takes no orders, in words; "" where all do. */
export function refusersWords(selected: number, takers: number): string {
  const not = selected - takers;
  if (not === 0) return "";
  if (selected === 1) return "It takes no orders.";
  return `${not} of ${selected} ${not === 1 ? "takes" : "take"} no orders.`;
}

export const DEEDS: Record<Deed, string> = {
  go: "Go",
  form: "Form up",
  hold: "Hold",
  resume: "Resume",
};

/** What an order asks for, in words. */
export function orderWords(order: StandingOrder): string {
  const parts = [DEEDS[order.what]];
  if (order.places.length > 1) parts.push(plural(order.places.length, "place"));
  if (order.formation) parts.push(order.formation);
  if (order.speed) parts.push(`${fixed(order.speed, 1)} m/s`);
  if (order.roads === "prefer") parts.push("roads preferred");
  if (order.roads === "only") parts.push("on roads only");
  if (order.arrived) parts.push("arrived");
  return parts.join(" · ");
}

/** Whom an order was given to. */
export function orderedWords(order: StandingOrder, nameOf: (vid: number) => string): string {
  const some = plural(order.vids.length, "vehicle");
  if (order.unit) return `${order.unit}, ${some}`;
  return namesInShort(order.vids.map(nameOf), 3);
}
