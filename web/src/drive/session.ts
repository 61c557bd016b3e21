/** One driver's line to one vehicle: asking for the wheel, turning it, losing it. */

import { Line } from "../feed/line.ts";
import type { LinkState } from "../feed/line.ts";
import { RoundTrips } from "./delay.ts";
import type { Gear, Stick } from "./inputs/reading.ts";

export interface DriveHello {
  vehicle: string;
  vid: number;
  /** Of the roster. */
  row: number;
  kind: string;
  cameras: string[];
  /** Whether it can go backwards. */
  gears: boolean;
}

/** As the vehicle says it itself: m, rad, m/s. */
export interface Motion {
  z: number;
  speed: number;
}

interface DriveMessage {
  hello?: DriveHello;
  taken?: boolean;
  /** Why the wheel is not the driver's any more. */
  lost?: string;
  /** What the vehicle shows: the number of the turn it lived with, and how it moves. */
  dash?: { turn: number; t: number; motion: Motion };
  refused?: string;
}

/** How a driver came to be where he is: at the wheel, or not. */
export type Seat =
  | { at: "gate" | "asking" | "wheel" | "let-go" | "cut-off" }
  | { at: "refused" | "ousted"; why: string };

export interface SessionHandlers {
  greeted(hello: DriveHello): void;
  picture(data: ArrayBuffer): void;
  state(state: LinkState): void;
}

export class DriveSession {
  seat: Seat = { at: "gate" };
  link: LinkState = "opening";
  motion: Motion | null = null;
  readonly trips = new RoundTrips();
  private camera = "";
  private readonly line: Line<DriveMessage>;

  constructor(token: string, handlers: SessionHandlers) {
    this.line = new Line<DriveMessage>("api/drive", token, {
      message: (message) => {
        if (message.hello) handlers.greeted(message.hello);
        this.take(message);
      },
      data: (data) => handlers.picture(data),
      state: (state) => {
        this.setLink(state);
        handlers.state(state);
      },
    });
  }

  get driving(): boolean {
    return this.seat.at === "wheel";
  }

  ask(driver: string): void {
    this.seat = { at: "asking" };
    this.line.say({ take: driver });
  }

  turn({ steer, throttle, brake, pitch }: Stick, gear: Gear): void {
    if (!this.driving) return;
    this.trips.sent(performance.now());
    this.line.say({ turn: [steer, throttle, brake, gear, pitch] });
  }

  /** The vehicle does as before. */
  letGo(): void {
    if (this.driving) this.line.say({ release: true });
  }

  /** '' for none. */
  look(camera: string): void {
    this.camera = camera;
    this.line.say({ camera });
  }

  private take(message: DriveMessage): void {
    if (message.hello && this.camera) this.look(this.camera);
    if (message.taken) {
      this.seat = { at: "wheel" };
      this.trips.begin();
    } else if (message.taken === false) {
      this.seat = message.lost ? { at: "ousted", why: message.lost } : { at: "let-go" };
      this.motion = null;
    }
    if (message.dash) {
      this.motion = message.dash.motion;
      this.trips.heard(message.dash.turn, performance.now());
    }
    if (message.refused && this.seat.at === "asking") {
      this.seat = { at: "refused", why: message.refused };
    }
  }

  /** Who was cut off is not at the wheel again when the line is: the vehicle stands, braked. */
  private setLink(state: LinkState): void {
    this.link = state;
    if (state === "open") return;
    if (this.driving || this.seat.at === "asking") this.seat = { at: "cut-off" };
    this.motion = null;
  }
}
