/** A layer cannot be shown; the message is for the user. */
export class LayerTrouble extends Error {}
