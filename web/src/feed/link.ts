/** The line to the server: opens, is heard, breaks, and opens again by itself. */

import type { Message, ReplayWish } from "./messages.ts";

const AGAIN_AFTER = [250, 500, 1000, 2000];
/** Longer than a thin link takes for a large message. */
const SILENT_AFTER = 15_000;

export type LinkState = "opening" | "open" | "lost" | "refused";

export interface LinkHandlers {
  message(message: Message): void;
  frame(data: ArrayBuffer): void;
  state(state: LinkState): void;
}

export class Link {
  private socket: WebSocket | null = null;
  private failures = 0;
  private heardAt = performance.now();
  private ended = false;

  constructor(
    private readonly token: string,
    private readonly handlers: LinkHandlers,
  ) {
    setInterval(() => this.checkSilence(), 1000);
    document.addEventListener("visibilitychange", () => (this.heardAt = performance.now()));
    this.open();
  }

  /** The frame of this number is drawn: another may come. */
  acknowledge(sequence: number): void {
    this.say({ ack: sequence });
  }

  /** What is looked at: west, south, east, north; and rows wanted wherever they are. */
  lookAt(view: [number, number, number, number], rows: number[]): void {
    this.say({ view, rows });
  }

  /** Rows whose scans are looked at. */
  watchScans(scans: number[]): void {
    this.say({ scans });
  }

  replay(wish: ReplayWish): void {
    this.say({ replay: wish });
  }

  /** For how long nothing has come, s. */
  get silence(): number {
    return (performance.now() - this.heardAt) / 1000;
  }

  private open(): void {
    this.handlers.state("opening");
    const url = new URL("api/feed", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    url.hash = "";
    const socket = new WebSocket(url);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.heardAt = performance.now();
      this.say({ token: this.token });
    };
    socket.onmessage = (event) => {
      this.heardAt = performance.now();
      this.failures = 0;
      if (event.data instanceof ArrayBuffer) this.handlers.frame(event.data);
      else {
        const message = JSON.parse(event.data as string) as Message;
        if (message.hello) this.handlers.state("open");
        this.handlers.message(message);
      }
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (event.code === 4401) {
        this.ended = true;
        this.handlers.state("refused");
      } else this.retry();
    };
  }

  private retry(): void {
    if (this.ended) return;
    this.handlers.state("lost");
    const wait = AGAIN_AFTER[Math.min(this.failures, AGAIN_AFTER.length - 1)];
    this.failures += 1;
    setTimeout(() => this.open(), wait);
  }

  /** A server that hangs does not close the line. A hidden page asks for little, and hears little. */
  private checkSilence(): void {
    if (document.hidden) return;
    if (this.socket?.readyState === WebSocket.OPEN && this.silence * 1000 > SILENT_AFTER) {
      const socket = this.socket;
      this.socket = null;
      socket.close();
      this.retry();
    }
  }

  private say(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
