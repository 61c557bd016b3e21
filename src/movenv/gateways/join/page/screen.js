// What stands on the screen. Foreign names only ever become text, never markup.

import { LEVELS, direction, metres, refusal, seconds, severity } from "./words.js";

const $ = (id) => document.getElementById(id);
const STALE_AFTER = 2;
const SVG = "http://www.w3.org/2000/svg";

function put(id, text) {
  const element = $(id);
  if (element.textContent !== text) element.textContent = text;
}

function show(id, yes) {
  $(id).hidden = !yes;
}

function shape(svg, level) {
  if (svg.dataset.level === String(level)) return;
  svg.dataset.level = level;
  const outline = document.createElementNS(SVG, "path");
  outline.setAttribute("d", LEVELS[level].shape);
  const mark = document.createElementNS(SVG, "text");
  mark.setAttribute("x", "50");
  mark.setAttribute("y", level === 2 ? "82" : "70");
  mark.textContent = level === 1 ? "i" : "!";
  svg.replaceChildren(outline, mark);
}

export function sheet(id) {
  for (const each of ["welcome", "refused", "field"]) show(each, each === id);
}

export function welcome({ vehicle, kind, scenario }) {
  put("welcome-vehicle", vehicle);
  put("welcome-scenario", [kind, scenario].filter(Boolean).join(" · "));
  document.title = `${vehicle} · MoVE`;
  sheet("welcome");
}

export function refused(why) {
  const [title, text] = refusal(why);
  put("refused-title", title);
  put("refused-text", text);
  sheet("refused");
}

export function trouble(id, words) {
  put(id, words ?? "");
  show(id, Boolean(words));
}

/** The band: `fix` is the last one, `health` what the test thinks of this phone. */
export function band({ state, vehicle, fix, age, battery, lost, unheard, kept, joined, health }) {
  put("state", state);
  $("state").dataset.state = state;
  put("vehicle", vehicle);
  put("gps", fix ? `±${metres(fix.accuracy).replace(".0", "")}` : "none");
  put("age", fix ? seconds(age) : "none");
  $("age").classList.toggle("bad", Boolean(fix) && age > 5);
  $("gps").classList.toggle("bad", !fix || fix.accuracy > 30);
  put("battery", battery === null ? "–" : `${Math.round(battery * 100)} %`);
  $("battery").classList.toggle("bad", battery !== null && battery < 0.2);
  put("link", lineWords(lost, unheard, kept, joined, health));
  document.body.classList.toggle("old", lost > STALE_AFTER || unheard > 0);
  $("link").dataset.state = lost > 0 || unheard > 0 ? "lost" : health === "heard" ? "good" : "doubt";
}

function lineWords(lost, unheard, kept, joined, health) {
  if (lost > 0) {
    const fixes = `${kept} ${kept === 1 ? "fix" : "fixes"} kept`;
    return joined ? `No link for ${seconds(lost)} – ${fixes}` : `Connecting … ${fixes}`;
  }
  if (unheard > 0) return `No news from the run for ${seconds(unheard)}`;
  if (health === "stale") return "Connected – your position is old";
  if (health === "unheard" || health === null) return "Connected – no position yet";
  return "Connected";
}

/** Why what is shown is old; "" when it is not. */
export function oldWords(lost, unheard) {
  if (lost > 0) return `No link for ${seconds(lost)}`;
  return unheard > 0 ? `No news for ${seconds(unheard)}` : "";
}

/** The three nearest; `heading` is one's own or null. */
export function nearest(near, heading, levelOf) {
  const list = $("nearest");
  const shown = near.slice(0, 3);
  while (list.children.length > shown.length) list.lastChild.remove();
  while (list.children.length < shown.length) list.append(row());
  shown.forEach((one, i) => {
    const item = list.children[i];
    const [arrow, name, kind, distance] = item.children;
    arrow.style.transform = `rotate(${one.bearing_deg - (heading ?? 0)}deg)`;
    name.textContent = one.name;
    kind.textContent = `${one.origin} · ${direction(one.bearing_deg, heading)}`;
    distance.textContent = metres(one.distance);
    item.dataset.level = levelOf(one.vid) ?? "";
  });
  show("alone", !shown.length);
}

function row() {
  const item = document.createElement("li");
  const arrow = document.createElementNS(SVG, "svg");
  arrow.setAttribute("viewBox", "-50 -50 100 100");
  arrow.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", "M0 -46 L36 4 H15 V46 H-15 V4 H-36 Z");
  arrow.append(path);
  const parts = ["name", "kind", "distance"].map((kind) => {
    const part = document.createElement("span");
    part.className = kind;
    return part;
  });
  item.append(arrow, ...parts);
  return item;
}

/** The full alarm for one notice, or none; `more` is how many others there are, `old` why it may
 * be out of date. */
export function alarm(notice, levels, heading, more, old) {
  const before = $("alarm").dataset.id ?? "";
  $("alarm").dataset.id = notice?.id ?? "";
  show("alarm", Boolean(notice));
  if (!notice) return;
  if (notice.id !== before) $("seen").focus({ preventScroll: true });
  const level = severity(notice.level, levels);
  $("alarm").dataset.level = level;
  shape($("alarm").querySelector(".shape"), level);
  put("alarm-level", notice.level_name.toUpperCase());
  $("alarm-level").style.setProperty("--letters", String(notice.level_name.length + 1));
  put("alarm-name", notice.name);
  put("alarm-distance", metres(notice.distance));
  put("alarm-direction", direction(notice.bearing_deg, heading));
  $("alarm-arrow").style.transform = `rotate(${(notice.bearing_deg ?? 0) - (heading ?? 0)}deg)`;
  put("alarm-closest", old || closest(notice));
  put("alarm-more", more ? `and ${more} more` : "");
}

function closest(notice) {
  if (notice.t_cpa === null || notice.d_cpa === null) return "";
  if (notice.t_cpa <= 0) return "moving apart";
  return `closest ${metres(notice.d_cpa)} in ${seconds(notice.t_cpa)}`;
}

/** The banner for a notice that does not fill the screen. */
export function banner(notice, levels, heading, seen) {
  show("banner", Boolean(notice));
  const level = notice ? severity(notice.level, levels) : 0;
  document.body.dataset.level = level || "";
  if (!notice) return;
  shape($("banner").querySelector(".shape"), level);
  put("banner-level", notice.level_name.toUpperCase());
  put("banner-name", notice.name);
  put("banner-text", `${metres(notice.distance)} · ${direction(notice.bearing_deg, heading)}`);
  show("banner-seen", !seen);
}

/** A notice in one line; "" for none. */
export function inWords(notice, heading) {
  if (!notice) return "";
  const place = `${metres(notice.distance)} ${direction(notice.bearing_deg, heading)}`;
  return `${notice.level_name.toUpperCase()}: ${notice.name}, ${place}`;
}

/** PAUSE or STOP over everything, or neither; `note` is what else to know in PAUSE. */
export function halt(word, kept, note) {
  show("halt", Boolean(word));
  if (!word) return;
  $("halt").dataset.state = word;
  put("halt-word", word);
  put("halt-text", word === "STOP" ? "The test is over." : "Stop where you are. Wait for GO.");
  put("halt-note", word === "STOP" ? over(kept) : note);
}

function over(kept) {
  if (kept > 0) return `Leave this page open: ${kept} fixes are still to be sent.`;
  return "Your location is no longer sent. You may close this page.";
}

/** For those who hear the page. */
export function say(text) {
  put("said", text);
}
