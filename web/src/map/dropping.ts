/** A file dropped onto the map becomes a layer of it. */

export function acceptDrops(element: HTMLElement, take: (file: File) => void): void {
  const marked = (on: boolean) => element.classList.toggle("dropping", on);
  element.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    marked(true);
  });
  element.addEventListener("dragleave", () => marked(false));
  element.addEventListener("drop", (event) => {
    marked(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length) event.preventDefault();
    for (const file of files) take(file);
  });
}
