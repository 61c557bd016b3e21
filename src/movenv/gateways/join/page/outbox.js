// Fixes that the test has not confirmed yet. They outlive dead zones and reloads.

const KEEP_SECONDS = 600;
const AT_ONCE = 100;

/** localStorage, or a stand-in where the browser forbids it; `lasting` says which. */
export function storage() {
  try {
    localStorage.setItem("move:probe", "1");
    localStorage.removeItem("move:probe");
    return {
      lasting: true,
      get: (name) => localStorage.getItem(name),
      set: (name, value) => {
        try {
          localStorage.setItem(name, value);
        } catch {
          // Full: the fixes are in memory still, and only a reload would lose them.
        }
      },
    };
  } catch {
    const kept = new Map();
    return { lasting: false, get: (n) => kept.get(n) ?? null, set: (n, v) => kept.set(n, v) };
  }
}

/** The secret by which this phone is known again. */
export function secretOfThisPhone(store) {
  let key = store.get("move:key");
  if (!key) {
    const bytes = crypto.getRandomValues(new Uint8Array(24));
    key = Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
    store.set("move:key", key);
  }
  return key;
}

function parsed(text) {
  try {
    const found = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

export class Outbox {
  constructor(store, token) {
    this.store = store;
    this.names = { kept: `move:${token}:kept`, seq: `move:${token}:seq` };
    this.kept = parsed(store.get(this.names.kept));
    this.seq = Number(store.get(this.names.seq)) || 0;
    this.sentUpTo = -1;
  }

  /** A fix as `geo.js` makes it. */
  add(fix) {
    this.kept.push({ ...fix, seq: this.seq });
    this.seq += 1;
    const oldest = fix.now - KEEP_SECONDS;
    this.kept = this.kept.filter((one) => one.now >= oldest);
    this.store.set(this.names.seq, String(this.seq));
    this.save();
  }

  /** A new connection: nothing of what is kept is known to have arrived. */
  startOver() {
    this.sentUpTo = -1;
  }

  /** What was not sent through this connection, in order, in parts. */
  unsent() {
    const rest = this.kept.filter((fix) => fix.seq > this.sentUpTo);
    if (rest.length) this.sentUpTo = rest[rest.length - 1].seq;
    const parts = [];
    for (let i = 0; i < rest.length; i += AT_ONCE) parts.push(rest.slice(i, i + AT_ONCE));
    return parts;
  }

  confirm(seq) {
    this.kept = this.kept.filter((fix) => fix.seq > seq);
    this.save();
  }

  save() {
    this.store.set(this.names.kept, JSON.stringify(this.kept));
  }
}
