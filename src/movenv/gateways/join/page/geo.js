// Where the phone is, which way it looks, and how full its battery is.

export const TROUBLE = {
  insecure: "This page was not opened over https://, so the browser hides your location. "
    + "Open the link exactly as you were given it.",
  missing: "This browser cannot tell your location. Use Chrome, Firefox or Safari.",
  denied: "Your location is blocked for this page. Allow it in the browser’s settings for this "
    + "page (tap the sign beside the address) and in the phone’s own settings, then reload.",
  nowhere: "The phone does not know where it is. Turn location on, and go where you see the sky.",
};

const PLAUSIBLE = [-0.5, 5];

/**
 * When a fix was measured, by the server's clock: s since 1970.
 *
 * `stamp` is what the phone wrote on it and `now` when it came, by the phone's clock; `offset` is
 * how much the server's clock is ahead. Some phones stamp fixes with the time of the satellites,
 * which needs no correction: then only the uncorrected stamp is of just now.
 */
export function fixTime(stamp, now, offset) {
  const serverNow = now + offset;
  const plausible = (time) => {
    const age = serverNow - time;
    return age >= PLAUSIBLE[0] && age <= PLAUSIBLE[1];
  };
  const corrected = stamp + offset;
  if (!plausible(corrected) && plausible(stamp)) return stamp;
  return Math.min(corrected, serverNow);
}

const QUIET = 4000;
const LONGEST_QUIET = 30000;

const given = (number) => (Number.isFinite(number) ? number : null);

export class Geo {
  /** `onFix(fix)` for each fix; `onTrouble(words or null)`. */
  constructor(onFix, onTrouble) {
    this.onFix = onFix;
    this.onTrouble = onTrouble;
    this.watching = null;
    this.pokedAt = 0;
    this.patience = QUIET;
    this.battery = null;
    this.last = null;
  }

  start() {
    if (!window.isSecureContext) return this.onTrouble(TROUBLE.insecure);
    if (!navigator.geolocation) return this.onTrouble(TROUBLE.missing);
    this.watchBattery();
    this.watch();
    setInterval(() => this.poke(), 1000);
    // Phones put watching to sleep along with the page.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.watching !== null) this.watch();
    });
    return undefined;
  }

  watch() {
    if (this.watching !== null) navigator.geolocation.clearWatch(this.watching);
    this.pokedAt = Date.now();
    this.watching = navigator.geolocation.watchPosition(
      (position) => this.take(position),
      (error) => this.fail(error),
      { enableHighAccuracy: true, maximumAge: 0, timeout: 15000 },
    );
  }

  /** Some browsers tell nothing while they stand still; a new watch makes them. */
  poke() {
    if (this.watching === null || !this.last || document.hidden) return;
    if (Date.now() - this.pokedAt < this.patience) return;
    this.patience = Math.min(2 * this.patience, LONGEST_QUIET);
    this.watch();
  }

  stop() {
    if (this.watching !== null) navigator.geolocation.clearWatch(this.watching);
    this.watching = null;
  }

  take(position) {
    if (this.watching === null) return;
    const c = position.coords;
    const fix = {
      stamp: position.timestamp / 1000,
      now: Date.now() / 1000,
      lat: c.latitude,
      lon: c.longitude,
      accuracy: given(c.accuracy),
      alt: given(c.altitude),
      course: given(c.heading),
      speed: given(c.speed),
      battery: this.battery,
    };
    this.last = fix;
    this.pokedAt = Date.now();
    this.patience = QUIET;
    this.onTrouble(null);
    this.onFix(fix);
  }

  fail(error) {
    if (error.code === error.PERMISSION_DENIED) return this.onTrouble(TROUBLE.denied);
    const quiet = this.last ? Date.now() / 1000 - this.last.now : Infinity;
    if (quiet > LONGEST_QUIET / 1000) this.onTrouble(TROUBLE.nowhere);
    return undefined;
  }

  async watchBattery() {
    if (!navigator.getBattery) return;
    const battery = await navigator.getBattery();
    this.battery = battery.level;
    battery.addEventListener("levelchange", () => {
      this.battery = battery.level;
    });
  }

  /** The course over ground while it moves, degrees, else null. */
  course() {
    const fix = this.last;
    return fix && fix.course !== null && (fix.speed ?? 0) > 0.7 ? fix.course : null;
  }
}

/** Which way the top of the screen looks: degrees from north, or null. */
export class Compass {
  constructor(onTurn) {
    this.onTurn = onTurn;
    this.heading = null;
    this.x = 0;
    this.y = 0;
  }

  /** Within a tap: iPhones ask for permission, and only then. */
  async start() {
    const events = window.DeviceOrientationEvent;
    if (!events) return;
    if (typeof events.requestPermission === "function") {
      const answer = await events.requestPermission().catch(() => "denied");
      if (answer !== "granted") return; // the rose stays north up
    }
    const turned = (event) => this.turned(event);
    window.addEventListener("deviceorientationabsolute", turned);
    window.addEventListener("deviceorientation", turned);
  }

  turned(event) {
    let degrees = null;
    if (Number.isFinite(event.webkitCompassHeading)) degrees = event.webkitCompassHeading;
    else if (event.absolute && Number.isFinite(event.alpha)) degrees = 360 - event.alpha;
    if (degrees === null) return;
    const angle = (degrees + (screen.orientation?.angle ?? 0)) * Math.PI / 180;
    // A little inertia, or the rose would tremble with the hand.
    const share = this.heading === null ? 1 : 0.25;
    this.x += share * (Math.cos(angle) - this.x);
    this.y += share * (Math.sin(angle) - this.y);
    this.heading = (Math.atan2(this.y, this.x) * 180 / Math.PI + 360) % 360;
    this.onTurn();
  }
}
