/** One tab of the side panel. Only the one that is shown is refreshed. */

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly element: HTMLElement;
  /** Whether it is the one that is shown; set by whoever shows it. */
  open: boolean;
  /** A word or a number beside the title; empty for none. */
  badge(): string;
  /** Whether there is anything to show at all. */
  available(): boolean;
  /** Bring what is shown up to date; a few times a second, and as the panel opens. */
  refresh(): void;
}
