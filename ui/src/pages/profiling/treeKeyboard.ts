// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow keys in a tree of rows: up and down go from row to row, right opens a row or goes into it, left closes it or goes
 * to the row around it. The names of rows have `data-depth`, and a button with `aria-expanded` where something is in them.
 */
export function treeKeyboard(element: HTMLElement): () => void {
  const pressed = (event: KeyboardEvent): void => {
    const name = (event.target as HTMLElement).closest<HTMLElement>("[data-depth]");
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...element.querySelectorAll<HTMLElement>("[data-depth]")];
    const place = all.indexOf(name);
    const sign = name.querySelector<HTMLElement>("[aria-expanded]");
    const isOpen = sign?.getAttribute("aria-expanded") === "true";
    const outer = all.slice(0, place).findLast((each) => depthOf(each) < depthOf(name));
    if (event.key === "ArrowDown") focus(all[place + 1]);
    else if (event.key === "ArrowUp") focus(all[place - 1]);
    else if (event.key === "ArrowRight" && sign) (isOpen ? () => focus(all[place + 1]) : () => sign.click())();
    else if (event.key === "ArrowLeft") (isOpen ? () => sign?.click() : () => focus(outer))();
    else return;
    event.preventDefault();
  };
  element.addEventListener("keydown", pressed);
  return () => element.removeEventListener("keydown", pressed);
}

function depthOf(name: HTMLElement): number {
  return Number(name.dataset.depth);
}

/** The last button is the name itself; a row that leads nowhere has its sign only. */
function focus(name: HTMLElement | undefined): void {
  [...(name?.querySelectorAll("button") ?? [])].at(-1)?.focus();
}
