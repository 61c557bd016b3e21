/** Copying for the user. */

/** Whether the browser let it: it does so only on a page it holds for safe. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the caller tells how to do without
  }
}
