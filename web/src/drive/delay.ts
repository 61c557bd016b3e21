/** How long it takes from turning the wheel until the vehicle is seen to live with it. */

import { span } from "../format.ts";

/** What is told is of the last so many ms. */
const LATELY = 1000;
/** Drivers steer well up to the first, ms, and lose the road beyond the second. */
const EASY = 150;
const HARD = 300;
/** Turns without an answer for longer are told of, ms. */
const UNANSWERED = 1000;
/** A vehicle that lives so far behind the run is told of, s. */
const BEHIND = 0.5;

export type DelayTone = "ok" | "caution" | "alarm" | "unknown";

export interface Delay {
  /** ms; null where nothing was measured lately. */
  median: number | null;
  worst: number | null;
  tone: DelayTone;
  words: string;
  /** What it means for driving; nothing where it is good. */
  advice: string;
}

const NOT_MEASURED: Delay = {
  median: null,
  worst: null,
  tone: "unknown",
  words: "not measured",
  advice: "",
};

interface Answer {
  at: number;
  took: number;
}

export class RoundTrips {
  /** When turns were sent that have had no answer, ms: the first is number `answered` + 1. NaN for
   * those that no vehicle could answer at once. */
  private waiting: number[] = [];
  private answered = 0;
  private answers: Answer[] = [];
  private still = false;

  /** The wheel was taken anew: turns count from 1. */
  begin(): void {
    this.waiting = [];
    this.answers = [];
    this.answered = 0;
  }

  /** Whether the run stands: then nothing answers, and that is nobody's delay. */
  stand(still: boolean): void {
    if (still && !this.still) this.waiting.fill(NaN);
    this.still = still;
  }

  sent(now: number): void {
    this.waiting.push(this.still ? NaN : now);
  }

  /** The vehicle lived with turn `number`, and so with all before it. */
  heard(number: number, now: number): void {
    const known = Math.min(number - this.answered, this.waiting.length);
    if (known <= 0) return;
    this.answered += known;
    for (const sent of this.waiting.splice(0, known)) {
      if (!Number.isNaN(sent)) this.answers.push({ at: now, took: now - sent });
    }
  }

  /** Whether the vehicle should have answered long ago. */
  unanswered(now: number): boolean {
    return this.silence(now) > UNANSWERED;
  }

  /** `behind`: how long ago the run heard of the vehicle, s. Where its computer does not keep up,
   * it answers at once, and the world has gone on all the same. */
  delay(now: number, behind: number): Delay {
    this.answers = this.answers.filter((answer) => now - answer.at <= LATELY);
    if (this.unanswered(now)) {
      const words = `no answer for ${span(this.silence(now) / 1000)}`;
      return { median: null, worst: null, tone: "alarm", words, advice: "" };
    }
    const took = this.answers.map((answer) => answer.took).sort((a, b) => a - b);
    if (!took.length) return NOT_MEASURED;
    const median = took[Math.floor(took.length / 2)];
    const worst = took[took.length - 1];
    if (behind > BEHIND) {
      const words = `its computer is ${span(behind)} behind the run`;
      return { median, worst, tone: "alarm", words, advice: "stop" };
    }
    return { median, worst, ...verdict(median) };
  }

  /** For how long the oldest turn waits, ms. */
  private silence(now: number): number {
    const oldest = this.waiting.find((sent) => !Number.isNaN(sent));
    return this.still || oldest === undefined ? 0 : now - oldest;
  }
}

function verdict(delay: number): Pick<Delay, "tone" | "words" | "advice"> {
  if (delay <= EASY) return { tone: "ok", words: "good", advice: "" };
  if (delay <= HARD) return { tone: "caution", words: "slow", advice: "drive gently" };
  return { tone: "alarm", words: "too slow", advice: "go at walking pace" };
}
