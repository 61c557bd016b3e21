/** Keys while something is drawn: Enter ends it, Backspace takes the last point away. */

import type { Sketch } from "./sketch.ts";

const TYPING = "input, textarea, select, [contenteditable]";

export function heedSketchKeys(sketch: Sketch): void {
  const deeds: Record<string, () => void> = {
    Enter: () => sketch.end(),
    Backspace: () => sketch.back(),
  };
  const heed = (event: KeyboardEvent) => {
    const deed = deeds[event.key];
    const typing = event.target instanceof Element && event.target.closest(TYPING);
    if (!deed || !sketch.drawing || typing) return;
    // The button that began it may still be in focus, and Enter would press it.
    event.preventDefault();
    event.stopPropagation();
    deed();
  };
  window.addEventListener("keydown", heed, { capture: true });
}
