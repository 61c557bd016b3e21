/** One vehicle's numbers, from the frames, its gateway or its host; nan where nobody knows. */

import { RUN_STATES } from "../feed/messages.ts";
import type { HostStatus } from "../feed/messages.ts";
import { Health } from "../fleet.ts";
import { stepWords } from "../missions.ts";
import type { Situation } from "../shell/situation.ts";
import { age as ageWords, fixed } from "../format.ts";

export type Condition = "ok" | "caution" | "alarm" | "unknown";

/** How a vehicle is, in words: its run state while it is heard. */
export function conditionWords(health: number, age: number, runState: number): string {
  if (health === Health.Unheard) return "UNHEARD";
  if (health === Health.Lost) return `LOST ${ageWords(age)}`;
  if (health === Health.Stale) return `STALE ${ageWords(age)}`;
  return RUN_STATES[runState - 1] ?? "";
}

export function conditionTone(health: number): Condition {
  if (health === Health.Lost) return "alarm";
  if (health === Health.Stale) return "caution";
  return health === Health.Heard ? "ok" : "unknown";
}

/** For sorting: the worse, the greater. */
export function conditionRank(health: number): number {
  return [1, 0, 3, 2][health] ?? 0;
}

export class VehicleFacts {
  constructor(private readonly situation: Situation) {}

  kind(row: number): string {
    const roster = this.situation.hello.roster;
    return roster.kinds[roster.kind[row]] ?? "";
  }

  origin(row: number): string {
    const { origins, roster } = this.situation.hello;
    return origins[roster.origin[row]] ?? "";
  }

  behavior(row: number): string {
    return this.situation.hello.roster.behaviors[this.situation.fleet.behavior[row] - 1] ?? "";
  }

  /** Of its mission, in words. */
  step(row: number): string {
    return stepWords(this.situation.hello.roster, row, this.situation.fleet.step[row]);
  }

  condition(row: number): string {
    const { fleet } = this.situation;
    if (this.awaitsPlace(row)) return "heard";
    return conditionWords(fleet.health[row], this.age(row), fleet.runState[row]);
  }

  /** As the frames tell, but that a real vehicle may be heard before it has a place in the run. */
  health(row: number): Health {
    return this.awaitsPlace(row) ? Health.Heard : this.situation.fleet.health[row];
  }

  private awaitsPlace(row: number): boolean {
    const unheard = this.situation.fleet.health[row] === Health.Unheard;
    return unheard && this.situation.reception(row)?.heard === "heard";
  }

  /** Of what lies beneath: a real vehicle's fix, a virtual one's report; nan before the first. */
  age(row: number): number {
    if (this.awaitsPlace(row)) return number(this.situation.reception(row)?.age);
    const { fleet } = this.situation;
    return fleet.health[row] === Health.Unheard ? NaN : fleet.age[row];
  }

  margin(row: number): number {
    return this.situation.reception(row) ? NaN : number(this.host(row)?.margin);
  }

  /** Of a real vehicle, how long its fixes are under way. */
  lag(row: number): number {
    const reception = this.situation.reception(row);
    return number(reception ? reception.delay : this.host(row)?.lag);
  }

  loss(row: number): number {
    const reception = this.situation.reception(row);
    return number(reception ? reception.loss : this.host(row)?.loss);
  }

  accuracy(row: number): number {
    return number(this.situation.reception(row)?.accuracy);
  }

  battery(row: number): number {
    return number(this.situation.reception(row)?.battery);
  }

  host(row: number): HostStatus | undefined {
    return this.situation.status?.hosts?.[this.situation.hostIndex(row)];
  }

  /** Nan too while it waits for GO: what is told then is the speed it will start with. */
  speed(row: number): number {
    const { fleet } = this.situation;
    return fleet.known(row) && !this.waits(row) ? fleet.speed[row] : NaN;
  }

  /** With its unit or without; a dash while it waits for GO. */
  speedWords(row: number, unit = ""): string {
    if (this.situation.fleet.known(row) && this.waits(row)) return "–";
    const written = fixed(this.speed(row), 1);
    return written && written + unit;
  }

  /** A real vehicle's speed is measured, so it is told whatever the run does. */
  private waits(row: number): boolean {
    return this.situation.fleet.waiting && this.origin(row) !== "real";
  }

  height(row: number): number {
    return this.situation.fleet.known(row) ? this.situation.fleet.z[row] : NaN;
  }
}

function number(value: number | null | undefined): number {
  return value ?? NaN;
}
