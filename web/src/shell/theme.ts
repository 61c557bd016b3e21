/** Day or night: by the system until somebody chooses, then as chosen. */

export type Theme = "day" | "night";

const KEPT = "movenv-theme";
const dark = () => matchMedia("(prefers-color-scheme: dark)");

export class ThemeChoice {
  private readonly listeners: ((theme: Theme) => void)[] = [];

  constructor() {
    this.show();
    dark().addEventListener("change", () => this.show());
  }

  get theme(): Theme {
    const kept = localStorage.getItem(KEPT);
    if (kept === "day" || kept === "night") return kept;
    return dark().matches ? "night" : "day";
  }

  toggle(): void {
    localStorage.setItem(KEPT, this.theme === "day" ? "night" : "day");
    this.show();
  }

  /** Called now and after each change. */
  onChange(listener: (theme: Theme) => void): void {
    this.listeners.push(listener);
    listener(this.theme);
  }

  private show(): void {
    document.documentElement.dataset.theme = this.theme;
    for (const listener of this.listeners) listener(this.theme);
  }
}

const colours = new Map<string, string>();

/** A colour of the palette as it is now, for canvases. */
export function paletteColour(name: string): string {
  const root = document.documentElement;
  const key = `${root.dataset.theme} ${name}`;
  const found = colours.get(key) ?? getComputedStyle(root).getPropertyValue(`--${name}`).trim();
  colours.set(key, found);
  return found;
}
