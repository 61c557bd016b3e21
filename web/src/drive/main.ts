/** The drive page's beginning: its link, and what is shown until a vehicle answers. */

import "../style/drive.css";
import { takeWheelToken } from "../token.ts";
import { DrivePage } from "./page.ts";
import { DriveSession } from "./session.ts";
import type { DriveHello } from "./session.ts";

function begin(token: string): void {
  let page: DrivePage | null = null;
  const greeted = (hello: DriveHello) => {
    page ??= new DrivePage(document.body, token, hello, session);
  };
  const session = new DriveSession(token, {
    greeted,
    picture: (data) => page?.showPicture(data),
    state: (state) => {
      if (!page) document.body.dataset.link = state;
    },
  });
}

/** Another link in the same tab opens another vehicle. */
window.addEventListener("hashchange", () => location.reload());

const token = takeWheelToken();
if (token) begin(token);
else document.body.dataset.link = "none";
