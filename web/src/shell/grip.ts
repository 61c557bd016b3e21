/** The edge by which the panel is made wider, or higher on an upright screen. */

import { el } from "./dom.ts";

const KEPT = "movenv-panel-size";
const STEP = 24;
const upright = () => matchMedia("(max-width: 900px) and (orientation: portrait)").matches;

interface Sizes {
  width?: number;
  height?: number;
}

export class Grip {
  readonly element = el("div", { class: "grip", role: "separator", label: "Size of the panel" });
  private sizes: Sizes = readSizes();

  constructor(private readonly changed: () => void) {
    this.element.tabIndex = 0;
    this.show();
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) this.drag(event);
    });
    this.element.addEventListener("pointerup", () => this.keep());
    this.element.addEventListener("dblclick", () => this.reset());
    this.element.addEventListener("keydown", (event) => this.onKey(event));
  }

  private drag(event: PointerEvent): void {
    const side = this.side();
    if (!side) return;
    const box = side.getBoundingClientRect();
    if (upright()) this.set({ height: box.bottom - event.clientY });
    else this.set({ width: box.right - event.clientX });
  }

  private onKey(event: KeyboardEvent): void {
    const box = this.side()?.getBoundingClientRect();
    const grow: Record<string, number> = {
      ArrowLeft: 1,
      ArrowUp: 1,
      ArrowRight: -1,
      ArrowDown: -1,
    };
    if (!box || !(event.key in grow)) return;
    event.preventDefault();
    const by = grow[event.key] * STEP;
    this.set(upright() ? { height: box.height + by } : { width: box.width + by });
    this.keep();
  }

  private set(size: Sizes): void {
    this.sizes = { ...this.sizes, ...size };
    this.show();
    this.changed();
  }

  private reset(): void {
    this.sizes = {};
    this.show();
    this.keep();
    this.changed();
  }

  private show(): void {
    const { style } = document.documentElement;
    for (const name of ["width", "height"] as const) {
      const size = this.sizes[name];
      if (size === undefined) style.removeProperty(`--side-${name}`);
      else style.setProperty(`--side-${name}`, `${Math.round(size)}px`);
    }
  }

  private keep(): void {
    localStorage.setItem(KEPT, JSON.stringify(this.sizes));
  }

  private side(): HTMLElement | null {
    return this.element.parentElement;
  }
}

function readSizes(): Sizes {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Sizes;
  } catch {
    return {}; // somebody else wrote there: begin with the usual size
  }
}
