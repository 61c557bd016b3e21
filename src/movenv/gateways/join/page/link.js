// The line to the test: kept up for ever, with a clock that agrees with the server's.

import { fixTime } from "./geo.js";
import { Polling } from "./polling.js";

const PING_EVERY = 1000;
const FIRST_PINGS = [0, 150, 300, 450];
const DEAD_AFTER = 4000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 3000;
const SAMPLES = 30;
const WORDS_KEPT = 100;
const NEWS_WITHIN = 3; // the test sends a view at least once a second, whatever its state
const STEP = 1; // s by which clocks do not drift, but are set

/** How much the server's clock is ahead, s. The shortest round trip knows best. */
export class Clock {
  constructor() {
    this.samples = [];
  }

  get known() {
    return this.samples.length > 0;
  }

  get offset() {
    const best = this.samples.reduce((a, b) => (b.trip < a.trip ? b : a), { trip: Infinity });
    return best.offset ?? 0;
  }

  /** `sent` and `now` by the phone's clock, `utc` by the server's in between. */
  learn(sent, now, utc) {
    const trip = now - sent;
    if (!(trip >= 0)) return;
    const newest = { trip, offset: utc + trip / 2 - now };
    const apart = (one) => Math.abs(one.offset - newest.offset);
    const last = this.samples.at(-1);
    // Two that agree tell of a step of either clock, unless slow trips explain the difference.
    if (last && apart(last) <= STEP) {
      this.samples = this.samples.filter(
        (one) => apart(one) <= Math.max(STEP, (one.trip + trip) / 2));
    }
    this.samples.push(newest);
    if (this.samples.length > SAMPLES) this.samples.shift();
  }
}

export class Link {
  /** `on` has hello(message), view(message), refused(why) and changed(). */
  constructor(url, key, outbox, on) {
    this.url = url;
    this.key = key;
    this.outbox = outbox;
    this.on = on;
    this.clock = new Clock();
    this.socket = null;
    this.connected = false;
    this.lostAt = performance.now();
    this.heardAt = 0;
    this.newsAt = 0;
    this.views = 0;
    this.wait = FIRST_WAIT;
    this.words = [];
    this.timer = null;
    this.ended = false;
    this.polls = false;
    this.socketsWork = false;
  }

  open() {
    setInterval(() => this.beat(), PING_EVERY);
    window.addEventListener("online", () => this.retry());
    window.addEventListener("offline", () => this.lose());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.retry();
    });
    this.connect();
  }

  end() {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.drop();
    this.on.changed();
  }

  /** Say something now, or as soon as there is a line and a clock; `make` makes the message. */
  say(make) {
    this.words.push(make);
    if (this.words.length > WORDS_KEPT) this.words.shift();
    this.flush();
  }

  /** Send what waits, fixes in order. */
  flush() {
    if (!this.connected || !this.clock.known) return;
    const offset = this.clock.offset;
    for (const part of this.outbox.unsent()) {
      const fixes = part.map(({ stamp, now, ...fix }) => (
        { ...fix, time: fixTime(stamp, now, offset) }));
      this.send({ type: "fixes", fixes });
    }
    for (const make of this.words.splice(0)) this.send(make());
  }

  secondsLost() {
    return this.connected ? 0 : (performance.now() - this.lostAt) / 1000;
  }

  /** How long a line that stands has brought no view, once that is longer than it should be. */
  secondsWithoutNews() {
    const since = (performance.now() - this.newsAt) / 1000;
    return this.connected && since > NEWS_WITHIN ? since : 0;
  }

  connect() {
    if (this.ended || this.socket) return;
    const socket = this.polls ? new Polling(this.url, this.key) : new WebSocket(this.url);
    this.socket = socket;
    this.heardAt = performance.now();
    socket.onopen = () => this.send({ type: "hello", key: this.key });
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = () => this.lose();
  }

  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  hear(message) {
    this.heardAt = performance.now();
    if (message.type === "hello") this.begin(message);
    else if (message.type === "view") {
      this.views += 1;
      this.newsAt = this.heardAt;
      this.on.view(message);
    } else if (message.type === "pong") this.learn(message);
    else if (message.type === "got") {
      this.outbox.confirm(message.seq);
      this.on.changed();
    } else if (message.type === "refused") {
      this.end();
      this.on.refused(message.why);
    }
  }

  begin(message) {
    this.connected = true;
    this.newsAt ||= performance.now(); // after a break, what is shown is as old as it is
    this.socketsWork ||= !this.polls;
    this.views = 0;
    this.wait = FIRST_WAIT;
    this.outbox.startOver();
    this.on.hello(message);
    this.on.changed();
    // The first round trip is seldom the shortest, so a few follow at once.
    for (const later of FIRST_PINGS) setTimeout(() => this.ping(), later);
  }

  learn(message) {
    this.clock.learn(message.sent, Date.now() / 1000, message.utc);
    this.flush();
  }

  ping() {
    this.send({ type: "ping", sent: Date.now() / 1000, views: this.views });
  }

  beat() {
    if (!this.socket) return;
    if (performance.now() - this.heardAt > DEAD_AFTER) this.lose();
    else if (this.connected) this.ping();
  }

  drop() {
    const socket = this.socket;
    if (this.connected) this.lostAt = this.heardAt;
    this.socket = null;
    this.connected = false;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  lose() {
    if (this.ended) return;
    // Where no socket ever opened, requests may get through; iPhones are such.
    if (!this.connected) this.polls = !this.polls && !this.socketsWork;
    this.drop();
    this.on.changed();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 1.5, LONGEST_WAIT);
  }

  retry() {
    if (this.socket || this.ended) return;
    clearTimeout(this.timer);
    this.connect();
  }
}
