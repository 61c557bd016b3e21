/** The line on which the run is shown. */

import { Line } from "./line.ts";
import type { LinkState } from "./line.ts";
import type { Message, ReplayWish } from "./messages.ts";

export type { LinkState } from "./line.ts";

/** Longer than a thin link takes for a large message. */
const SILENT_AFTER = 15_000;

export interface LinkHandlers {
  message(message: Message): void;
  frame(data: ArrayBuffer): void;
  state(state: LinkState): void;
}

export class Link {
  private readonly line: Line<Message>;

  constructor(token: string, handlers: LinkHandlers) {
    const heard = {
      message: (message: Message) => handlers.message(message),
      data: (data: ArrayBuffer) => handlers.frame(data),
      state: (state: LinkState) => handlers.state(state),
    };
    this.line = new Line("api/feed", token, heard, SILENT_AFTER);
  }

  /** The frame of this number is drawn: another may come. */
  acknowledge(sequence: number): void {
    this.line.say({ ack: sequence });
  }

  /** What is looked at: west, south, east, north; and rows wanted wherever they are. */
  lookAt(view: [number, number, number, number], rows: number[]): void {
    this.line.say({ view, rows });
  }

  /** Rows whose scans are looked at. */
  watchScans(scans: number[]): void {
    this.line.say({ scans });
  }

  replay(wish: ReplayWish): void {
    this.line.say({ replay: wish });
  }
}
