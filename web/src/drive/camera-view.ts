/** What the vehicle's camera sees. */

import { age } from "../format.ts";
import { el, setShown, setText } from "../shell/dom.ts";

/** Older pictures are told of, ms. */
const OLD = 1500;

export class CameraView {
  readonly element = el("section", { class: "camera", label: "Camera" });
  private readonly canvas = el("canvas", {
    role: "img",
    label: "The camera's picture",
    testid: "camera",
  });
  private readonly remark = el("p", { class: "view-remark", role: "status" });
  private readonly choice = el("select", { label: "Camera", testid: "camera-choice" });
  private seenAt: number | null = null;
  private decoding = false;
  private trouble = "";

  constructor(
    private readonly cameras: string[],
    look: (camera: string) => void,
  ) {
    const options = cameras.map((name) => el("option", { text: name, attributes: { value: name } }));
    this.choice.append(...options);
    this.choice.addEventListener("change", () => {
      this.seenAt = null;
      look(this.choice.value);
      this.choice.blur(); // arrows drive again
    });
    setShown(this.choice, cameras.length > 1);
    setShown(this.element, cameras.length > 0);
    this.element.append(this.canvas, this.remark, this.choice);
    if (cameras.length) look(cameras[0]);
  }

  /** A JPEG; what comes while one is being read is left out. */
  async show(data: ArrayBuffer): Promise<void> {
    if (this.decoding) return;
    this.decoding = true;
    try {
      this.draw(await createImageBitmap(new Blob([data], { type: "image/jpeg" })));
      this.trouble = "";
    } catch {
      this.trouble = "The camera's picture cannot be read";
    } finally {
      this.decoding = false;
    }
  }

  refresh(now: number): void {
    if (!this.cameras.length) return;
    const old = this.seenAt === null ? 0 : now - this.seenAt;
    const aged = old > OLD ? `The picture is ${age(old / 1000)} old` : "";
    const none = this.seenAt === null ? "No picture yet" : "";
    setText(this.remark, this.trouble || none || aged);
  }

  private draw(picture: ImageBitmap): void {
    const { canvas } = this;
    if (canvas.width !== picture.width) canvas.width = picture.width;
    if (canvas.height !== picture.height) canvas.height = picture.height;
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
    picture.close();
    this.seenAt = performance.now();
  }
}
