/** Notice levels as they are shown: three looks, however many levels a run has. */

export type LevelLook = "outer" | "middle" | "inner";
export const LEVEL_LOOKS: LevelLook[] = ["outer", "middle", "inner"];

/** The look of level `level` of `count`; 1 is outermost. The innermost is always the strongest. */
export function levelLook(level: number, count: number): LevelLook {
  if (level >= count) return "inner";
  return level <= 1 && count > 2 ? "outer" : "middle";
}
