/** Things with four corners, drawn as two triangles each. */

export const CORNERS = 4;
const ORDER = [0, 1, 2, 2, 1, 3];
/** Indices of each. */
export const TRIANGLES = ORDER.length;

export function quadIndices(quads: number): Uint32Array<ArrayBuffer> {
  return Uint32Array.from({ length: quads * TRIANGLES }, (_, i) => {
    return Math.floor(i / TRIANGLES) * CORNERS + ORDER[i % TRIANGLES];
  });
}
