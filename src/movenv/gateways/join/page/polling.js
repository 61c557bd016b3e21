// What a WebSocket does, with plain requests: for phones that open no socket to this page.

const EVERY = 250;
const PATIENCE = 4000;

export class Polling {
  constructor(url, key) {
    this.url = url.replace(/^wss:/, "https:").replace(/ws$/, "talk");
    this.key = key;
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    this.line = Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
    this.readyState = WebSocket.OPEN;
    this.said = [];
    this.timer = setTimeout(() => {
      this.onopen?.();
      this.ask();
    });
  }

  send(text) {
    this.said.push(JSON.parse(text));
  }

  close() {
    this.readyState = WebSocket.CLOSED;
    clearTimeout(this.timer);
  }

  async ask() {
    const stop = new AbortController();
    const patience = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const answer = await fetch(this.url, {
        method: "POST",
        body: JSON.stringify({ line: this.line, key: this.key, said: this.said.splice(0) }),
        signal: stop.signal,
      });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      for (const message of await answer.json()) {
        this.onmessage?.({ data: JSON.stringify(message) });
      }
    } catch {
      this.close();
      this.onclose?.(); // whoever opened it tries again
      return;
    } finally {
      clearTimeout(patience);
    }
    if (this.readyState === WebSocket.OPEN) this.timer = setTimeout(() => this.ask(), EVERY);
  }
}
