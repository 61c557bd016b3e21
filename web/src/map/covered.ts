/** Where buttons, the scale and credits lie over the map: nothing is written beneath them. */

import type { Room } from "./taken-room.ts";

const OVER = ".maplibregl-ctrl, .map-tools > button, .map-view > button";
const MARGIN = 3;

export function coveredRoom(map: HTMLElement): Room[] {
  const { left, top } = map.getBoundingClientRect();
  const found: Room[] = [];
  for (const element of map.parentElement?.querySelectorAll(OVER) ?? []) {
    const box = element.getBoundingClientRect();
    if (box.width * box.height === 0) continue;
    found.push([
      box.left - left - MARGIN,
      box.top - top - MARGIN,
      box.right - left + MARGIN,
      box.bottom - top + MARGIN,
    ]);
  }
  return found;
}
