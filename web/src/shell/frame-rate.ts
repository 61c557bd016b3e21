/** How many frames a second are drawn, lately. */

const OVER = 2000;

export class FrameRate {
  private readonly times: number[] = [];

  /** A frame was drawn now, ms; returns frames a second. */
  count(now: number): number {
    this.times.push(now);
    while (this.times[0] < now - OVER) this.times.shift();
    const since = now - this.times[0];
    return since > 0 ? ((this.times.length - 1) * 1000) / since : 0;
  }
}
