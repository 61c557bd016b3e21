// The compass rose: who is near, in which direction, how far.

import {
  FAINT, GREY, INK, LEVEL_COLOUR, cleared, label, labelWidth, marker, oneself, radians, roundUp,
} from "./ink.js";
import { metres } from "./words.js";

const NAMED = 3;
const SMALLEST = 10;
const BUTTONS = 36; // px above, so that no letter comes to lie under them

export class Rose {
  constructor(canvas) {
    this.canvas = canvas;
    this.range = 50;
  }

  /** `up` is the direction at the top of the screen, `heading` one's own or null, in degrees. */
  draw({ near, levelOf, up, heading }) {
    const sheet = cleared(this.canvas);
    if (!sheet) return;
    const { pen, width, height } = sheet;
    const x = width / 2;
    const y = (height + BUTTONS) / 2;
    const radius = Math.min(width, height - BUTTONS) / 2 - 22;
    this.choose(near, levelOf);
    this.rings(pen, x, y, radius);
    this.points(pen, x, y, radius, up);
    this.distances(pen, x, y, radius, up);
    const others = near.map((one, i) => {
      const far = Math.min(one.distance / this.range, 1);
      const angle = radians(one.bearing_deg - up);
      return { one, i, far, x: x + Math.sin(angle) * far * radius,
        y: y - Math.cos(angle) * far * radius };
    }).reverse();
    for (const at of others) {
      const level = levelOf(at.one.vid);
      marker(pen, at.x, at.y, {
        real: at.one.origin === "real", level, moving: at.one.speed > 0.3 && at.far < 1,
        angle: radians(at.one.heading_deg - up),
      });
    }
    for (const at of others) {
      if (at.i < NAMED || levelOf(at.one.vid)) this.name(pen, at, width, y, levelOf(at.one.vid));
    }
    oneself(pen, x, y, heading === null ? null : radians(heading - up));
  }

  /** As wide as the third nearest, and never flickering between two widths. */
  choose(near, levelOf) {
    const told = near.filter((one, i) => i < NAMED || levelOf(one.vid));
    if (!told.length) return;
    const wanted = Math.max(SMALLEST, ...told.map((one) => one.distance)) * 1.1;
    if (wanted > this.range || wanted < this.range * 0.35) this.range = roundUp(wanted);
  }

  rings(pen, x, y, radius) {
    for (const share of [0.5, 1]) {
      pen.beginPath();
      pen.arc(x, y, radius * share, 0, 2 * Math.PI);
      pen.lineWidth = share === 1 ? 3 : 1.5;
      pen.strokeStyle = share === 1 ? INK : FAINT;
      pen.stroke();
    }
  }

  /** Midway between two letters, of the four places the one lowest to the right. */
  distances(pen, x, y, radius, up) {
    const between = [45, 135, 225, 315].map((degrees) => (((degrees - up) % 360) + 360) % 360);
    const apart = (degrees) => Math.abs(((degrees - 140 + 540) % 360) - 180);
    const along = radians(between.sort((a, b) => apart(a) - apart(b))[0]);
    for (const share of [0.5, 1]) {
      const text = metres(this.range * share).replace(".0", "");
      label(pen, text, x + Math.sin(along) * radius * share, y - Math.cos(along) * radius * share,
        { size: 14, colour: GREY });
    }
  }

  points(pen, x, y, radius, up) {
    for (let degrees = 0; degrees < 360; degrees += 15) {
      if (degrees % 90 === 0) continue; // a letter stands there
      const angle = radians(degrees - up);
      const long = degrees % 45 === 0;
      const inner = radius - (long ? 12 : 7);
      pen.beginPath();
      pen.moveTo(x + Math.sin(angle) * inner, y - Math.cos(angle) * inner);
      pen.lineTo(x + Math.sin(angle) * radius, y - Math.cos(angle) * radius);
      pen.lineWidth = long ? 3 : 1.5;
      pen.strokeStyle = long ? INK : GREY;
      pen.stroke();
    }
    ["N", "E", "S", "W"].forEach((letter, i) => {
      const angle = radians(i * 90 - up);
      label(pen, letter, x + Math.sin(angle) * radius, y - Math.cos(angle) * radius,
        letter === "N" ? { size: 24, weight: 800 } : { size: 17, colour: GREY });
    });
  }

  name(pen, at, width, middle, level) {
    const size = level ? 17 : 15;
    const text = `${at.one.name} ${metres(at.one.distance)}`;
    const half = labelWidth(pen, text, size, 700) / 2 + 4;
    const x = Math.min(Math.max(at.x, half), width - half);
    const y = at.y + (at.y > middle ? 1 : -1) * 24;
    const colour = level === 3 || level === 1 ? LEVEL_COLOUR[level] : INK;
    label(pen, text, x, y, { size, weight: 700, colour });
  }
}
