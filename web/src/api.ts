/** What the buttons do. Every call needs the token of the link the page was opened with. */

import type { RunStateName } from "./feed/messages.ts";
import type { OrderWish } from "./orders/wish.ts";

export interface JoinLink {
  vehicle: string;
  url: string;
  used: boolean;
  connected: boolean;
  svg: string;
}

/** Opens the drive page of a vehicle. */
export interface DriveLink {
  vehicle: string;
  url: string;
  svg: string;
}

/** The server said no; the message is for the user. */
export class Refused extends Error {}

export class Api {
  constructor(private readonly token: string) {}

  get headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.token}` };
  }

  state(state: RunStateName): Promise<{ state: RunStateName; silent: string[] }> {
    return this.ask("POST", "api/state", { state });
  }

  mark(text: string): Promise<{ t: number }> {
    return this.ask("POST", "api/marks", { text });
  }

  order(wish: OrderWish): Promise<{ number: number; t: number }> {
    return this.ask("POST", "api/orders", wish);
  }

  links(): Promise<JoinLink[]> {
    return this.ask("GET", "api/links");
  }

  changeLink(vehicle: string, action: "renew" | "revoke"): Promise<void> {
    return this.ask("POST", `api/links/${encodeURIComponent(vehicle)}`, { action });
  }

  /** Links that were handed out for the vehicle before open nothing any more. */
  handOut(vehicle: string): Promise<DriveLink> {
    return this.ask("POST", `api/wheels/${encodeURIComponent(vehicle)}`);
  }

  takeBack(vehicle: string): Promise<void> {
    return this.ask("DELETE", `api/wheels/${encodeURIComponent(vehicle)}`);
  }

  /** During the last minute before `t`. */
  distances(vid: number, other: number, t: number): Promise<{
    t: number[];
    distance: (number | null)[];
  }> {
    return this.ask("GET", `api/distances?vid=${vid}&other=${other}&t=${t}`);
  }

  private async ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { ...this.headers, "Content-Type": "application/json" };
    let response: Response;
    try {
      response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
    } catch {
      throw new Refused("the console's server does not answer");
    }
    if (response.status === 204) return undefined as Answer;
    const answer = await response.json();
    if (response.ok) return answer as Answer;
    const detail = answer.detail;
    throw new Refused(typeof detail === "string" ? detail : "the server did not understand");
  }
}
