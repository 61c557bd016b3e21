/** The keyboard: one table, by which keys act and from which the help is written. */

export interface Shortcut {
  /** As KeyboardEvent.key says it; capital letters need Shift. */
  keys: string[];
  /** As written in the help, where `keys` would not be clear. */
  written?: string;
  words: string;
  group: "Look" | "Panels" | "Orders" | "Run" | "Replay";
  run(): void;
}

const TYPING = "input, textarea, select, [contenteditable]";
/** Widgets with a use of their own for keys that move. */
const MOVING =
  "[role=grid], [role=tablist], [role=slider], [role=separator], [role=menu], [role=log]";
const MOVES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

export class Keys {
  private readonly byKey = new Map<string, Shortcut>();

  constructor(readonly shortcuts: Shortcut[]) {
    for (const shortcut of shortcuts) {
      for (const key of shortcut.keys) this.byKey.set(key, shortcut);
    }
    // Before the map, which moves by arrows too.
    window.addEventListener("keydown", (event) => this.onKey(event), { capture: true });
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const shortcut = this.byKey.get(event.key);
    if (!shortcut || !applies(event)) return;
    event.preventDefault();
    event.stopPropagation();
    shortcut.run();
  }
}

function applies(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : document.body;
  if (event.key === "Escape") return true;
  if (target.closest(TYPING)) return false;
  if (MOVES.has(event.key)) return !target.closest(MOVING);
  // Somebody who goes from button to button by keyboard presses them with Space.
  if (event.key === " ") return !target.matches("button:focus-visible");
  return !(event.repeat && event.key !== event.key.toLowerCase());
}

/** How the keys of a shortcut are written. */
export function writtenKeys(shortcut: Shortcut): string {
  if (shortcut.written) return shortcut.written;
  return shortcut.keys
    .map((key) => {
      if (/^[A-Z]$/.test(key)) return `Shift ${key}`;
      return /^[a-z]$/.test(key) ? key.toUpperCase() : key;
    })
    .join(" ");
}
