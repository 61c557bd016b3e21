/** What the vehicle does, and what is sent to it. */

import { fixed } from "../format.ts";
import { button, el, setShown, setText } from "../shell/dom.ts";
import type { Gear, Stick } from "./inputs/reading.ts";
import { Meter } from "./meter.ts";
import type { Motion } from "./session.ts";
import { SteeringWheel } from "./steering-wheel.ts";

const KMH = 3.6;
const GEARS: [gear: Gear, letter: string, name: string][] = [
  [-1, "R", "Reverse"],
  [0, "N", "Neutral"],
  [1, "D", "Drive"],
];

export class Dashboard {
  readonly element = el("section", { class: "dashboard", label: "Dashboard" });
  private readonly wheel = new SteeringWheel();
  private readonly throttle = new Meter("Throttle", "throttle");
  private readonly brake = new Meter("Brake", "brake");
  private readonly kmh = el("span", { class: "speed-large", testid: "speed" });
  private readonly ms = el("span", { class: "muted", testid: "speed-ms" });
  private readonly height = el("span", { class: "dash-height", testid: "height" });
  private readonly gears: Map<Gear, HTMLButtonElement>;

  /** `shift` is told of a gear that was chosen here. */
  constructor(
    private readonly flies: boolean,
    geared: boolean,
    shift: (gear: Gear) => void,
  ) {
    this.gears = new Map(
      GEARS.map(([gear, letter, name]) => [gear, gearButton(gear, letter, name, shift)]),
    );
    const pedals = el("div", { class: "pedals" }, this.brake.element, this.throttle.element);
    const speed = el(
      "div",
      { class: "speed", role: "group", label: "Speed" },
      this.kmh,
      el("span", { class: "speed-unit" }, el("span", { text: "km/h" }), this.ms),
    );
    const gears = el("div", { class: "gears", role: "group", label: "Gear" });
    gears.append(...this.gears.values());
    setShown(gears, geared);
    const dials = el("div", { class: "dials" }, this.wheel.element, speed, gears, pedals);
    this.element.append(dials);
    if (flies) speed.append(this.height);
  }

  /** `seen` is the vehicle's speed as the map has it, for whoever does not drive. */
  show(sent: Stick | null, gear: Gear, motion: Motion | null, seen: number | null): void {
    this.wheel.show(sent?.steer ?? 0, this.flies ? (sent?.pitch ?? 0) : null);
    this.throttle.show(sent?.throttle ?? 0);
    this.brake.show(sent?.brake ?? 0);
    const speed = motion?.speed ?? seen;
    setText(this.kmh, speed === null ? "–" : fixed(speed * KMH, 0));
    setText(this.ms, speed === null ? "– m/s" : `${fixed(speed, 1)} m/s`);
    if (motion) setText(this.height, `Height ${fixed(motion.z, 1)} m`);
    for (const [which, choice] of this.gears) {
      choice.setAttribute("aria-pressed", String(which === gear));
      choice.disabled = sent === null;
    }
  }
}

function gearButton(
  gear: Gear,
  letter: string,
  name: string,
  shift: (gear: Gear) => void,
): HTMLButtonElement {
  return button({
    class: "gear",
    text: letter,
    label: name,
    title: name,
    testid: `gear-${letter}`,
    click: () => shift(gear),
  });
}
