// SPDX-License-Identifier: Apache-2.0
/** Pictures that are moved together, so that the same place of each is seen. */
const together = new Set<HTMLElement>();

/** Lets a scrolled element be dragged, and moves all others that can be along with it. */
export function panned(element: HTMLElement): () => void {
  const watch = new AbortController();
  const { signal } = watch;
  let grip: { x: number; y: number } | null = null;
  together.add(element);
  element.addEventListener("scroll", () => followed(element), { signal, passive: true });
  element.addEventListener("pointerdown", (event) => event.button === 0 && (grip = { x: event.clientX, y: event.clientY }), { signal });
  element.addEventListener(
    "pointermove",
    (event) => {
      if (!grip || event.buttons !== 1) return;
      element.scrollBy(grip.x - event.clientX, grip.y - event.clientY);
      grip = { x: event.clientX, y: event.clientY };
    },
    { signal },
  );
  element.addEventListener("pointerup", () => (grip = null), { signal });
  return () => {
    watch.abort();
    together.delete(element);
  };
}

function followed(element: HTMLElement): void {
  for (const other of together) {
    if (other === element) continue;
    const [left, top] = [
      shareOf(element, "Left", "Width") * roomOf(other, "Width"),
      shareOf(element, "Top", "Height") * roomOf(other, "Height"),
    ];
    // An element at the target position emits nothing, so that no element follows itself.
    if (Math.abs(other.scrollLeft - left) > 1 || Math.abs(other.scrollTop - top) > 1) other.scrollTo(left, top);
  }
}

/** How far an element can be scrolled. */
function roomOf(element: HTMLElement, length: "Width" | "Height"): number {
  return element[`scroll${length}`] - element[`client${length}`];
}

function shareOf(element: HTMLElement, side: "Left" | "Top", length: "Width" | "Height"): number {
  return element[`scroll${side}`] / Math.max(1, roomOf(element, length));
}
