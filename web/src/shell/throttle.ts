/** Passes on the newest of many wishes, not more often than every so many milliseconds. */

export class Throttle<Wish> {
  private waiting: { wish: Wish } | null = null;
  private passedAt = -Infinity;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly every: number,
    private readonly pass: (wish: Wish) => void,
  ) {}

  want(wish: Wish): void {
    this.waiting = { wish };
    if (this.timer !== null) return;
    const left = this.passedAt + this.every - performance.now();
    if (left <= 0) this.now();
    else this.timer = setTimeout(() => this.now(), left);
  }

  /** Pass on at once what still waits. */
  now(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (!this.waiting) return;
    const { wish } = this.waiting;
    this.waiting = null;
    this.passedAt = performance.now();
    this.pass(wish);
  }
}
