// Joins the test: everything comes together here.

import { Alarm, WakeLock } from "./alarm.js";
import { Compass, Geo, TROUBLE } from "./geo.js";
import { Link } from "./link.js";
import { MapView } from "./map.js";
import { Outbox, secretOfThisPhone, storage } from "./outbox.js";
import { Rose } from "./rose.js";
import * as screen from "./screen.js";
import { direction, metres, severity } from "./words.js";

const $ = (id) => document.getElementById(id);
const about = document.body.dataset;
const token = location.pathname.split("/").pop();
const JOINED = `move:${token}:joined`;
const store = storage();
const outbox = new Outbox(store, token);
const alarm = new Alarm();
const wake = new WakeLock();
const geo = new Geo(onFix, onPlaceTrouble);
const compass = new Compass(redraw);
const rose = new Rose($("rose"));
const map = new MapView($("map"), redraw);
const link = new Link(
  `wss://${location.host}/j/${token}/ws`, secretOfThisPhone(store), outbox,
  { hello: onHello, view: onView, refused: onRefused, changed: refresh },
);

let hello = { vehicle: about.vehicle, levels: [], areas: {} };
let view = null;
let joined = false;
let over = false;
let turns = true;
let placeTrouble = null;
const notices = new Map(); // id → when it was shown, and whether it was seen
const FORGET_AFTER = 60_000; // ms

// --- joining

function start() {
  joined = true;
  if (store.lasting) sessionStorage.setItem(JOINED, "1");
  screen.sheet("field");
  wake.watch();
  wake.hold().then(refresh);
  geo.start();
  link.open();
  setInterval(refresh, 500);
  refresh();
}

$("join").addEventListener("click", () => {
  alarm.unlock().then(refresh);
  compass.start();
  start();
});

$("again").addEventListener("click", () => location.reload());

// After a reload nobody has tapped yet, and the browser holds the sound back until somebody does.
document.addEventListener("pointerdown", () => {
  if (joined && !alarm.audible) {
    alarm.unlock().then(refresh);
    if (compass.heading === null) compass.start();
  }
});

window.addEventListener("pagehide", () => outbox.save());

// --- what comes in

function onFix(fix) {
  if (over) return;
  outbox.add(fix);
  link.flush();
  refresh();
}

function onPlaceTrouble(words) {
  placeTrouble = words;
  refresh();
}

function onHello(message) {
  hello = message;
  map.areas = message.areas;
}

function onRefused(why) {
  if (why === "the run is over") {
    finish();
    return;
  }
  geo.stop();
  wake.release();
  alarm.loop(null);
  joined = false;
  screen.alarm(null);
  screen.halt(null);
  screen.refused(why);
}

function onView(message) {
  const before = view?.run_state;
  view = message;
  if (view.run_state !== before) onState(view.run_state);
  if (view.own) map.remember(view.own);
  warn();
  refresh();
}

function onState(state) {
  if (state === "STOP") finish();
  else alarm.once(state);
}

function finish() {
  if (over) return;
  over = true;
  link.flush(); // the last fix
  geo.stop();
  wake.release();
  alarm.loop(null);
  alarm.once("STOP");
  refresh();
}

// --- warnings

const heading = () => compass.heading ?? geo.course() ?? (
  (view?.own?.speed ?? 0) > 0.7 ? view.own.heading_deg : null);

const levelOf = (vid) => {
  const notice = view?.notices.find((one) => one.vid === vid);
  return notice ? severity(notice.level, hello.levels.length) : null;
};

function warn() {
  const now = performance.now();
  for (const notice of view.notices) {
    if (!notices.has(notice.id)) meet(notice);
    notices.get(notice.id).liveAt = now;
  }
  // One at the edge comes and goes under the same name, and is met once.
  for (const [id, one] of notices) if (now - one.liveAt > FORGET_AFTER) notices.delete(id);
}

/** A notice that was not there before. */
function meet(notice) {
  notices.set(notice.id, { shownAt: performance.now(), seen: false });
  const now = Date.now() / 1000;
  link.say(() => ({
    type: "shown", id: notice.id, delay: Math.max(0, now + link.clock.offset - notice.sent),
  }));
  if (severity(notice.level, hello.levels.length) === 1) alarm.once(1);
  screen.say(`${notice.level_name}: ${notice.name}, ${metres(notice.distance)}, `
    + direction(notice.bearing_deg, heading()));
}

function acknowledge(notice) {
  const known = notices.get(notice?.id);
  if (!known || known.seen) return;
  known.seen = true;
  const reaction = (performance.now() - known.shownAt) / 1000;
  link.say(() => ({ type: "ack", id: notice.id, reaction }));
  refresh();
}

/** The notice that fills the screen: the worst that nobody has seen, unless it is only a hint. */
function pressing() {
  if (!view || over) return null;
  return view.notices.find((notice) => !notices.get(notice.id)?.seen
    && severity(notice.level, hello.levels.length) > 1) ?? null;
}

$("seen").addEventListener("click", () => acknowledge(pressing()));
$("banner-seen").addEventListener("click", () => acknowledge(view?.notices[0]));

// --- what is seen

$("view-rose").addEventListener("click", () => choose("rose"));
$("view-map").addEventListener("click", () => choose("map"));
$("fit").addEventListener("click", () => map.fit());
$("turn").addEventListener("click", () => {
  turns = !turns;
  redraw();
});

function choose(which) {
  for (const each of ["rose", "map"]) {
    $(each).hidden = each !== which;
    $(`view-${each}`).setAttribute("aria-pressed", String(each === which));
  }
  redraw();
}

function noted() {
  if (placeTrouble) return placeTrouble;
  if (!store.lasting) return "This browser keeps nothing: do not reload or close this page.";
  if (!alarm.audible) return "Tap anywhere to turn the sound on.";
  if (wake.failed && !over) return "The screen may go dark: keep it on.";
  return null;
}

function refresh() {
  if (!joined) return;
  const halted = over ? "STOP" : view?.run_state === "PAUSE" ? "PAUSE" : null;
  const urgent = halted ? null : pressing(); // the word lies over everything; it rings after GO
  const worst = over ? null : view?.notices[0] ?? null;
  const level = urgent ? severity(urgent.level, hello.levels.length) : null;
  const lost = link.secondsLost();
  const unheard = over ? 0 : link.secondsWithoutNews();
  screen.band({
    state: view?.run_state ?? "…", vehicle: hello.vehicle, fix: geo.last,
    age: geo.last ? Date.now() / 1000 - geo.last.now : 0, battery: geo.battery,
    lost, unheard, kept: outbox.kept.length, joined: view !== null, health: view?.own?.health ?? null,
  });
  screen.trouble("trouble", noted());
  const more = (view?.notices.length ?? 1) - 1;
  const old = screen.oldWords(lost, unheard);
  screen.alarm(urgent, hello.levels.length, heading(), more, old);
  screen.banner(urgent ? null : worst, hello.levels.length, heading(), notices.get(worst?.id)?.seen);
  screen.halt(halted, outbox.kept.length, old || screen.inWords(worst, heading()));
  $("field").inert = Boolean(urgent || halted); // what lies below cannot be reached by keys either
  alarm.loop(level);
  if (over && !outbox.kept.length) link.end();
  redraw();
}

let drawing = false;

function redraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    if (!joined) return;
    const own = heading();
    const up = turns && own !== null ? own : 0;
    const near = view?.near ?? [];
    $("turn").textContent = turns ? "Turns" : "North up";
    $("turn").hidden = $("rose").hidden || own === null;
    $("fit").hidden = $("map").hidden || !map.byHand;
    screen.nearest(near, own, levelOf);
    rose.draw({ near, levelOf, up, heading: own });
    map.draw({ own: view?.own ?? null, near, levelOf, heading: own });
  });
}

new ResizeObserver(redraw).observe($("picture"));

// --- begin

if (about.refused) {
  screen.refused(about.refused);
} else {
  screen.welcome(about);
  if (!window.isSecureContext) screen.trouble("welcome-trouble", TROUBLE.insecure);
  else if (!navigator.geolocation) screen.trouble("welcome-trouble", TROUBLE.missing);
  if (store.lasting && sessionStorage.getItem(JOINED)) start();
}
