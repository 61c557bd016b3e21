/** Building elements. Everything is text: nothing that comes from a scenario is read as HTML. */

export interface Looks {
  class?: string;
  text?: string;
  id?: string;
  testid?: string;
  title?: string;
  /** For screen readers. */
  label?: string;
  role?: string;
  attributes?: Record<string, string>;
  click?: (event: MouseEvent) => void;
}

export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  looks: Looks = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (looks.class) made.className = looks.class;
  if (looks.text !== undefined) made.textContent = looks.text;
  if (looks.id) made.id = looks.id;
  if (looks.testid) made.dataset.testid = looks.testid;
  if (looks.title) made.title = looks.title;
  if (looks.label) made.setAttribute("aria-label", looks.label);
  if (looks.role) made.setAttribute("role", looks.role);
  for (const [name, value] of Object.entries(looks.attributes ?? {})) {
    made.setAttribute(name, value);
  }
  if (looks.click) made.addEventListener("click", looks.click as EventListener);
  made.append(...children);
  return made;
}

export function button(looks: Looks, ...children: (Node | string)[]): HTMLButtonElement {
  const attributes = { type: "button", ...looks.attributes };
  return el("button", { ...looks, attributes }, ...children);
}

/** Set a text only where it differs: most of what is refreshed has not changed. */
export function setText(element: Element, text: string): void {
  const only = element.firstChild;
  if (only === null) {
    if (text) element.append(text);
  } else if (only.nodeValue !== text || only !== element.lastChild) element.textContent = text;
}

export function setTone(element: HTMLElement, tone: string): void {
  if (element.dataset.tone !== tone) element.dataset.tone = tone;
}

export function setShown(element: HTMLElement, shown: boolean): void {
  if (element.hidden === shown) element.hidden = !shown;
}

/** Two columns of names and values. */
export function factList(facts: [name: string, value: string | Node][]): HTMLDListElement {
  const list = el("dl", { class: "facts" });
  for (const [name, value] of facts) {
    if (value === "") continue;
    list.append(el("dt", { text: name }), el("dd", {}, value));
  }
  return list;
}
