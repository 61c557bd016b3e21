/** When to draw: at most once a screen refresh, and also where the screen asks for nothing. */

/** Somebody waits no longer than this for a refresh that may never come, ms. */
export const PATIENCE = 250;

export interface Clock {
  /** Call at the next screen refresh; a hidden page may never do so. */
  atRefresh(call: () => void): void;
  after(ms: number, call: () => void): void;
}

const BROWSER_CLOCK: Clock = {
  atRefresh: (call) => void requestAnimationFrame(call),
  after: (ms, call) => void setTimeout(call, ms),
};

/** Calls `paint` once for all who asked since the last time, and tells them when it is seen. */
export class Pacing {
  private waiting: Promise<void> | null = null;

  constructor(
    private readonly paint: () => void,
    private readonly clock: Clock = BROWSER_CLOCK,
  ) {}

  /** Resolves when what holds now is on the screen, or, in a hidden page, would be. */
  request(): Promise<void> {
    this.waiting ??= this.once().then(() => {
      this.waiting = null;
      this.paint();
    });
    return this.waiting;
  }

  private once(): Promise<void> {
    return new Promise((resolve) => {
      this.clock.atRefresh(resolve);
      this.clock.after(PATIENCE, resolve);
    });
  }
}
