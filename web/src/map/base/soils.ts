/** What the ground of a height map is made of: its colours, and its words in the legend. */

/** As palette.css names them after `soil-`, in the legend's order. */
export const SOIL_TONES = [
  "hard",
  "paving",
  "gravel",
  "grass",
  "scrub",
  "sand",
  "mud",
  "snow",
  "ice",
  "shallows",
] as const;
export type SoilTone = (typeof SOIL_TONES)[number];
