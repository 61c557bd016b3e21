/** Numbers as words. What is not known is written as nothing. */

type Maybe = number | null | undefined;

function known(value: Maybe): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

/** Simulated time: 2:05.3, or 1:02:05.3 from an hour on. */
export function clock(t: Maybe, digits = 1): string {
  if (!known(t)) return "";
  const unit = 10 ** digits;
  const parts = Math.round(Math.abs(t) * unit);
  const seconds = Math.floor(parts / unit);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const two = (value: number) => String(value).padStart(2, "0");
  const fraction = digits ? `.${String(parts % unit).padStart(digits, "0")}` : "";
  const head = hours ? `${hours}:${two(minutes % 60)}` : `${minutes}`;
  return `${t < 0 && parts ? "−" : ""}${head}:${two(seconds % 60)}${fraction}`;
}

/** Wall clock, UTC, of seconds since 1970; nothing where there was none. */
export function utcClock(utc: Maybe): string {
  if (!known(utc) || utc <= 0) return "";
  return new Date(utc * 1000).toISOString().slice(11, 19);
}

export function utcDay(utc: Maybe): string {
  if (!known(utc) || utc <= 0) return "";
  return new Date(utc * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC";
}

/** A length of time with a fitting unit: 400 µs, 3.0 ms, 1.2 s, 14 s, 3 min, 2.5 h. */
export function span(seconds: Maybe): string {
  if (!known(seconds)) return "";
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 0.9995e-3) return `${(seconds * 1e6).toFixed(0)} µs`;
  if (size < 0.09995) return `${(seconds * 1e3).toFixed(1)} ms`;
  if (size < 0.9995) return `${(seconds * 1e3).toFixed(0)} ms`;
  if (size < 9.95) return `${seconds.toFixed(1)} s`;
  if (size < 120) return `${seconds.toFixed(0)} s`;
  if (size < 7200) return `${(seconds / 60).toFixed(0)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** An age people read at a glance: whole seconds from one on. */
export function age(seconds: Maybe): string {
  if (!known(seconds)) return "";
  if (seconds < 0.95) return `${Math.max(0, seconds).toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : span(seconds);
}

export function metres(distance: Maybe): string {
  if (!known(distance)) return "";
  const size = Math.abs(distance);
  if (size < 9.995) return `${distance.toFixed(2)} m`;
  if (size < 99.95) return `${distance.toFixed(1)} m`;
  if (size < 9999.5) return `${distance.toFixed(0)} m`;
  return `${(distance / 1000).toFixed(1)} km`;
}

export function fixed(value: Maybe, digits: number): string {
  return known(value) ? value.toFixed(digits).replace(/^-(0(\.0+)?)$/, "$1") : "";
}

/** A share: 84 %, and 0.4 % where whole percents would hide it. */
export function percent(share: Maybe): string {
  if (!known(share)) return "";
  const value = share * 100;
  return value > 0 && value < 0.95
    ? `${Math.max(0.1, value).toFixed(1)} %`
    : `${Math.round(value)} %`;
}

export function count(value: Maybe): string {
  return known(value) ? Math.round(value).toLocaleString("en-US") : "";
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** A place: 29.193111° N 81.046171° W. */
export function place(lat: Maybe, lon: Maybe): string {
  if (!known(lat) || !known(lon)) return "";
  const northing = `${Math.abs(lat).toFixed(6)}° ${lat < 0 ? "S" : "N"}`;
  return `${northing} ${Math.abs(lon).toFixed(6)}° ${lon < 0 ? "W" : "E"}`;
}

export function heading(degrees: Maybe): string {
  if (!known(degrees)) return "";
  return `${String(Math.round(degrees) % 360).padStart(3, "0")}°`;
}

/** A replay's or a run's speed: ×0.1, ×1, ×50. */
export function times(factor: Maybe): string {
  return known(factor) ? `×${Number(factor.toPrecision(3))}` : "";
}
