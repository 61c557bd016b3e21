/** A line to the server: opens, introduces itself, is heard, breaks, and opens again by itself. */

const AGAIN_AFTER = [250, 500, 1000, 2000];
const STRANGER = 4401;

export type LinkState = "opening" | "open" | "lost" | "refused";

export interface LineHandlers<Message> {
  message(message: Message): void;
  data(data: ArrayBuffer): void;
  state(state: LinkState): void;
}

/** The server's first message on it is its greeting. */
export class Line<Message extends { hello?: unknown }> {
  private socket: WebSocket | null = null;
  private failures = 0;
  private heardAt = performance.now();
  private ended = false;

  constructor(
    private readonly path: string,
    private readonly token: string,
    private readonly handlers: LineHandlers<Message>,
    /** A line that is silent for longer is broken, ms. */
    private readonly silentAfter = Infinity,
  ) {
    setInterval(() => this.checkSilence(), 1000);
    document.addEventListener("visibilitychange", () => (this.heardAt = performance.now()));
    this.open();
  }

  say(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** For how long nothing has come, s. */
  private get silence(): number {
    return (performance.now() - this.heardAt) / 1000;
  }

  private open(): void {
    this.handlers.state("opening");
    const url = new URL(this.path, location.href);
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
      if (event.data instanceof ArrayBuffer) this.handlers.data(event.data);
      else {
        const message = JSON.parse(event.data as string) as Message;
        if (message.hello) this.handlers.state("open");
        this.handlers.message(message);
      }
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (event.code === STRANGER) {
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
    if (this.socket?.readyState === WebSocket.OPEN && this.silence * 1000 > this.silentAfter) {
      const socket = this.socket;
      this.socket = null;
      socket.close();
      this.retry();
    }
  }
}
