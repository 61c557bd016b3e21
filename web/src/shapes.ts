/** The outlines of vehicles, on the map and beside it: six kinds that differ by shape alone. */

/** On a field from -10 to 10, north (the front) up. */
export const OUTLINES = {
  unknown: "M0,-8 L6,7 L0,4 L-6,7 Z",
  // A head, looking ahead.
  pedestrian: "M0,-9 L3.6,-4.4 A5.6,5.6 0 1 1 -3.6,-4.4 Z",
  // A box on wheels with a bevelled nose.
  ground: "M-2.4,-8 L2.4,-8 L4.8,-4.5 L4.8,7.5 L-4.8,7.5 L-4.8,-4.5 Z",
  fixedwing:
    "M0,-9 L1.7,-6 L1.7,-2.5 L9.2,1.2 L9.2,3.6 L1.6,2 L1.2,6 L4,8 L4,9.2 L0,8.3 " +
    "L-4,9.2 L-4,8 L-1.2,6 L-1.6,2 L-9.2,3.6 L-9.2,1.2 L-1.7,-2.5 L-1.7,-6 Z",
  // Four rotors on crossed arms; the front has a nose.
  rotorcraft:
    "M0,-6 L2.2,-2.6 L3.2,-3.6 A3.1,3.1 0 1 1 5.6,-1.6 L2.8,0 L5.6,2.4 A3.1,3.1 0 1 1 2.6,5.4 " +
    "L0,2.8 L-2.6,5.4 A3.1,3.1 0 1 1 -5.6,2.4 L-2.8,0 L-5.6,-1.6 A3.1,3.1 0 1 1 -3.2,-3.6 " +
    "L-2.2,-2.6 Z",
  // A hull from above: pointed bow, straight stern.
  surface: "M0,-9.5 C3.6,-5.5 4.6,-2 4.6,2 L3.6,8.5 L-3.6,8.5 L-4.6,2 C-4.6,-2 -3.6,-5.5 0,-9.5 Z",
  // A round-nosed tube with a cross of fins at its end.
  underwater:
    "M0,-9 C2.8,-9 3,-6 3,-4 L3,2 L1.6,5 L6.5,6 L6.5,8.4 L1.2,8 L0,9.4 L-1.2,8 L-6.5,8.4 " +
    "L-6.5,6 L-1.6,5 L-3,2 L-3,-4 C-3,-6 -2.8,-9 0,-9 Z",
} as const;

export type VehicleShape = keyof typeof OUTLINES;

/** The shape of a kind such as "aerial/fixedwing". */
export function shapeOfKind(kind: string): VehicleShape {
  const known = (part: string): part is VehicleShape => part in OUTLINES;
  return kind.split("/").find(known) ?? "unknown";
}
