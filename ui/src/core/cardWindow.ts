// SPDX-License-Identifier: Apache-2.0
import { rowWindow } from "./rowWindow";

/** Rows of a section that are held; `first` of them stand above as empty room. */
export interface HeldRows {
  first: number;
  end: number;
}

/** Which rows of cards a scrolled viewport needs, section by section: ten thousand cards must not be ten thousand elements. */
export function heldRows(
  sections: readonly { rows: number; head: number }[],
  rowHeight: number,
  viewport: { top: number; height: number },
): HeldRows[] {
  let top = 0;
  return sections.map(({ rows, head }) => {
    const start = top + head;
    top = start + rows * rowHeight;
    const isFar = top < viewport.top - rowHeight || start > viewport.top + viewport.height + rowHeight;
    return isFar ? { first: 0, end: 0 } : rowWindow(rows, rowHeight, { top: viewport.top - start, height: viewport.height }, 1);
  });
}
