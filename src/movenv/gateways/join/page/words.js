// Numbers, directions and levels in words and colours. Pure: no page, no phone.

const AROUND = [
  "ahead", "ahead right", "right", "behind right",
  "behind", "behind left", "left", "ahead left",
];
const POINTS = [
  "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
];

const sector = (degrees) => Math.round((((degrees % 360) + 360) % 360) / 45) % 8;

/** Where to look: from one's own heading where it is known, else by the compass. */
export function direction(bearing, heading) {
  if (bearing === null) return "";
  if (heading === null) return `to the ${POINTS[sector(bearing)]}`;
  return AROUND[sector(bearing - heading)];
}

export function metres(distance) {
  if (distance === null) return "? m";
  if (distance < 10) return `${distance.toFixed(1)} m`;
  if (distance < 1000) return `${Math.round(distance)} m`;
  return `${(distance / 1000).toFixed(distance < 10000 ? 1 : 0)} km`;
}

export function seconds(time) {
  if (time < 100) return `${Math.max(0, Math.round(time))} s`;
  return `${Math.floor(time / 60)} min`;
}

/** 1 to 3: the outermost of several levels is 1, the innermost 3, all between are 2. */
export function severity(level, levels) {
  const innermost = Math.max(levels, 1);
  if (level >= innermost) return 3;
  return level <= 1 ? 1 : 2;
}

// Apart in hue for every kind of colour blindness, and in brightness; each has its own shape.
export const LEVELS = {
  1: { name: "advisory", shape: "M50 6 A44 44 0 1 1 49.9 6 Z" },
  2: { name: "caution", shape: "M50 6 L97 90 H3 Z" },
  3: { name: "warning", shape: "M50 2 L98 50 L50 98 L2 50 Z" },
};

export const REFUSED = {
  "unknown link": [
    "This link is not known",
    "Scan the code again. If that does not help, ask the people who run the test for a new one.",
  ],
  "revoked link": [
    "This link was withdrawn",
    "This phone is no longer part of the test. Ask for a new link if it should be.",
  ],
  "used by another phone": [
    "This link belongs to another phone",
    "Each link is for one phone. If it was this one, open the link in the same browser as "
    + "before, and not in a private window; else ask for a link of your own.",
  ],
  "open in another tab": [
    "Open in another tab",
    "The page runs in another tab of this phone now. It can only run in one.",
  ],
  "other address": [
    "Wrong network",
    "This vehicle may only join from one address. Change to the network of the test.",
  ],
};

export const refusal = (why) => REFUSED[why]
  ?? ["The test did not let this phone in", `It said: ${why}. Try again, or ask.`];
