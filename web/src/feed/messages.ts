/** What the server says, as docs/reference/console.md tells. Times in s, distances in m. */

export type RunStateName = "READY" | "SET" | "GO" | "PAUSE" | "STOP";
export const RUN_STATES: RunStateName[] = ["READY", "SET", "GO", "PAUSE", "STOP"];
export type Role = "operator" | "observer";

export interface Roster {
  vids: number[];
  names: string[];
  kinds: string[];
  /** Index into `kinds`, one a vehicle. */
  kind: number[];
  /** Number of an origin, one a vehicle. */
  origin: number[];
  length: number[];
  /** Behavior number i + 1 is `behaviors[i]`; 0 is none. */
  behaviors: string[];
  /** The names of each mission's steps. */
  missions: string[][];
  /** Of each vehicle the place of its mission, -1 for none; empty where nobody has one. */
  mission: number[];
  /** Names of units. */
  units?: string[];
  /** Of each vehicle the place of its unit, -1 for none; empty where there are none. */
  unit?: number[];
}

export interface Fidelity {
  vehicle: number;
  sensors: number;
  algorithms: number;
  environment: number;
  pedestrians: number;
}

export interface RunFacts {
  name: string;
  description: string;
  seed: number;
  /** Latitude, longitude, altitude. */
  origin: [number, number, number];
  tick: number;
  duration: number;
  /** Name of each notice level, outermost first, and its multiple of the characteristic length. */
  levels: Record<string, number>;
  fidelity: Fidelity | null;
  started_utc: number;
  movenv: string;
  changes: string[];
  run_id: string;
}

export interface MapLayerFacts {
  name: string;
  kind: "raster" | "vector" | "style" | "google" | "pmtiles" | "geojson";
  url: string;
  google: string | null;
  key: string;
  source_layers: string[];
  attribution: string;
  tile_size: number;
  max_zoom: number;
  shown: boolean;
  /** Why it cannot be shown, in words. */
  missing: string | null;
}

export interface Hello {
  role: Role;
  source: string;
  replay: { start: number; end: number } | null;
  run: RunFacts;
  roster: Roster;
  origins: Record<string, string>;
  /** `role` is area, route, slow (a part of a route), stop or terrain, which has a `kind`. */
  world: GeoJSON.FeatureCollection;
  /** What is missing in it, in sentences. */
  left_out: string[];
  layers: MapLayerFacts[];
  /** Where a live run is recorded to, where that is known. */
  recording?: string | null;
  /** Of each vehicle whether it takes orders; empty where nobody does. */
  obeys?: boolean[];
  /** Of each vehicle whether it can be driven from outside; empty where none can. */
  driven?: boolean[];
}

export type Deed = "go" | "form" | "hold" | "resume";
export type Roads = "off" | "prefer" | "only";

/** What some vehicles are told to do, and have not been told otherwise since. */
export interface StandingOrder {
  number: number;
  what: Deed;
  t: number;
  who: string;
  vids: number[];
  unit?: string | null;
  /** Longitude and latitude of each, in their order. */
  places: [number, number][];
  formation?: string | null;
  spacing?: number | null;
  /** Who leads the formation. */
  leader?: number | null;
  speed?: number | null;
  roads?: Roads | null;
  /** Whether all who went are there. */
  arrived?: boolean;
}

export interface Missing {
  what: string;
  why: string;
  vid?: number | null;
}

export interface HostStatus {
  host: string;
  vehicles: number;
  health: string;
  margin: number | null;
  margin_p5: number | null;
  lag: number | null;
  worst_lag: number | null;
  age: number | null;
  loss: number | null;
  clock_offset: number | null;
  clock_uncertainty: number | null;
  refused: Record<string, number>;
}

export interface CoreStatus {
  margin_p5: number | null;
  lag: number | null;
  worst_lag: number | null;
  missed_ticks: number;
  carried_ticks: number;
  refused: Record<string, number>;
}

export interface Reception {
  row: number;
  heard: "never" | "heard" | "stale";
  accuracy: number | null;
  age: number | null;
  delay: number | null;
  loss: number | null;
  battery: number | null;
  rate: number | null;
  accepted: number;
  rejected: number;
}

export interface ReplayStatus {
  t: number;
  playing: boolean;
  rate: number;
  direction: 1 | -1;
  /** How much of the recording has been looked through for notices, 0 to 1. */
  indexed: number;
  /** What is being looked for, while the index has not come that far. */
  seeking?: string | null;
}

export interface Status {
  state: RunStateName;
  tick: number;
  t: number;
  utc?: number;
  duration: number;
  speed?: number;
  legal: RunStateName[];
  missing?: Missing[];
  missing_more?: number;
  core?: CoreStatus;
  hosts?: HostStatus[];
  recorders?: string[];
  /** Row of a vehicle → index into `hosts`, or -1. Only sent when it has changed. */
  host_of?: number[];
  real?: Reception[];
  summary?: {
    notices: Record<string, number>;
    closest: { distance: number; names: string[]; t: number } | null;
    detections: number;
    missions?: { vehicles: number; over: number } | null;
  };
  given_up?: number;
  /** Orders that hold now. */
  orders?: StandingOrder[];
  /** Wheels that are taken. */
  wheels?: WheelStatus[];
  /** For how long the Core has not answered. */
  core_silent?: number;
  replay?: ReplayStatus;
}

/** A vehicle that is driven from outside. */
export interface WheelStatus {
  vehicle: string;
  vid: number;
  who: string;
  /** A person, or a program. */
  person: boolean;
  authority: number;
  /** Whoever drove is gone: it brakes. */
  abandoned: boolean;
}

export interface RunEvent {
  t: number;
  utc: number;
  kind: string;
  text: string;
  who: string;
  vids: number[];
}

export interface Sighted {
  row: number;
  target: number;
  sighting: "found" | "seen" | "lost";
  t: number;
  lat: number;
  lon: number;
}

export interface Pair {
  row: number;
  other: number;
  distance: number;
  level: number;
}

/** What a recording holds, as far as it has been looked through. */
export interface Happenings {
  /** When pairs came nearer, and the worst level then. */
  notices: [number, number][];
  marks: number[];
  /** When missions went on. */
  steps?: number[];
  /** From when to when nothing was recorded. */
  gaps?: [number, number][];
  /** What is to be known of the recording, in sentences. */
  remarks?: string[];
}

export interface Message {
  hello?: Hello;
  status?: Status;
  events?: RunEvent[];
  forget?: boolean;
  sighted?: Sighted[];
  happenings?: Happenings;
  pairs?: Pair[];
  t?: number;
  refused?: string;
}

export interface ReplayWish {
  t?: number;
  playing?: boolean;
  rate?: number;
  direction?: 1 | -1;
  step?: number;
  jump?: "notice" | "mark" | "event";
}
