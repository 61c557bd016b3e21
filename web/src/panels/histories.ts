/** How the Core and the hosts did during the last minutes, one value a status. */

import type { Status } from "../feed/messages.ts";

const KEPT = 180;

export interface Course {
  margin: number[];
  lag: number[];
}

export class Histories {
  readonly core: Course = { margin: [], lag: [] };
  private readonly hosts = new Map<string, Course>();

  take(status: Status): void {
    if (status.core) add(this.core, status.core.margin_p5, status.core.lag);
    for (const host of status.hosts ?? []) {
      const course = this.host(host.host);
      this.hosts.set(host.host, course);
      add(course, host.margin, host.lag);
    }
  }

  host(name: string): Course {
    return this.hosts.get(name) ?? { margin: [], lag: [] };
  }
}

function add(course: Course, margin: number | null, lag: number | null): void {
  course.margin.push(margin ?? NaN);
  course.lag.push(lag ?? NaN);
  if (course.margin.length > KEPT) {
    course.margin.shift();
    course.lag.shift();
  }
}
