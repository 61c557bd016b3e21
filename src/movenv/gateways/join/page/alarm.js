// Sound and vibration, made on the spot: no files.

// Each tone: [begins at s, lasts s, Hz]. `every` repeats it until it is silenced.
const PATTERNS = {
  1: { tones: [[0, 0.07, 880]], gain: 0.25, shape: "sine", shake: [40] },
  2: {
    tones: [[0, 0.16, 740], [0.26, 0.16, 740]],
    every: 1.8, gain: 0.5, shape: "triangle", shake: [180, 100, 180],
  },
  3: {
    tones: [[0, 0.11, 1175], [0.15, 0.11, 880], [0.3, 0.11, 1175], [0.45, 0.11, 880]],
    every: 0.9, gain: 0.7, shape: "square", shake: [110, 40, 110, 40, 110, 40, 110],
  },
  PAUSE: {
    tones: [[0, 0.5, 523], [0.6, 0.7, 392]],
    gain: 0.6, shape: "triangle", shake: [500, 100, 700],
  },
  STOP: {
    tones: [[0, 0.4, 523], [0.5, 0.4, 392], [1, 0.9, 262]],
    gain: 0.7, shape: "square", shake: [400, 100, 400, 100, 900],
  },
  GO: { tones: [[0, 0.15, 523], [0.2, 0.35, 784]], gain: 0.5, shape: "triangle", shake: [150] },
};

export class Alarm {
  constructor() {
    this.audio = null;
    this.playing = null;
    this.timer = null;
  }

  /** Within a tap, or the browser keeps it silent. */
  async unlock() {
    const Context = window.AudioContext ?? window.webkitAudioContext;
    if (!Context) return;
    this.audio ??= new Context();
    // iPhones then play although the switch on the side says silent.
    if (navigator.audioSession) navigator.audioSession.type = "playback";
    if (this.audio.state !== "running") await this.audio.resume();
  }

  get audible() {
    return this.audio?.state === "running";
  }

  /** Once, over whatever plays. */
  once(name) {
    const pattern = PATTERNS[name];
    if (!pattern) return;
    navigator.vibrate?.(pattern.shake);
    if (!this.audible) return;
    for (const [start, length, hertz] of pattern.tones) {
      this.tone(this.audio.currentTime + start, length, hertz, pattern);
    }
  }

  /** Until it is silenced; `null` silences. */
  loop(name) {
    if (this.playing === name) return;
    const before = this.playing;
    this.playing = name;
    clearInterval(this.timer);
    if (name === null) {
      if (before !== null) navigator.vibrate?.(0);
      return;
    }
    this.once(name);
    this.timer = setInterval(() => this.once(name), PATTERNS[name].every * 1000);
  }

  tone(start, length, hertz, { gain, shape }) {
    const sound = this.audio.createOscillator();
    const volume = this.audio.createGain();
    sound.type = shape;
    sound.frequency.value = hertz;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(gain, start + 0.01);
    volume.gain.setValueAtTime(gain, start + length - 0.02);
    volume.gain.linearRampToValueAtTime(0, start + length);
    sound.connect(volume).connect(this.audio.destination);
    sound.start(start);
    sound.stop(start + length + 0.02);
  }
}

/** Keeps the screen on. */
export class WakeLock {
  constructor() {
    this.lock = null;
    this.wanted = false;
    this.failed = false;
  }

  async hold() {
    this.wanted = true;
    if (!navigator.wakeLock) {
      this.failed = true;
      return;
    }
    try {
      this.lock = await navigator.wakeLock.request("screen");
      this.failed = false;
    } catch {
      this.failed = true; // low battery, mostly; the page says so
    }
  }

  /** The browser lets go of it whenever the page is hidden. */
  watch() {
    document.addEventListener("visibilitychange", () => {
      if (this.wanted && document.visibilityState === "visible") this.hold();
    });
  }

  release() {
    this.wanted = false;
    this.lock?.release();
    this.lock = null;
  }
}
