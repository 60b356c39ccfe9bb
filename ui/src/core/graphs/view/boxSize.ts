// SPDX-License-Identifier: Apache-2.0
import { cutMiddle } from "../../text/cutMiddle";

/** Sizes of closed boxes. Widths grow in steps, so that equal blocks with other numbers in their names have equal layouts. */
export const BOX = { nodeHeight: 28, scopeHeight: 36, rowHeight: 16, mostRows: 4, leastWidth: 72, mostWidth: 240, widthStep: 16 } as const;

const PADDING = 24;
const BADGE_WIDTH = 32;
const WIDE_LETTER_WIDTH = 12;
const FIRST_WIDE_LETTER = 0x2e80;
const FIRST_UNKNOWN_LETTER = 0x7f;
const LETTER_WIDTH = 7.4;
/** Letters of Inter by their width at 12 px, rounded up. */
const LETTERS_BY_WIDTH: Readonly<Record<number, string>> = {
  3.4: "ijlI.,:;'|! ",
  4.7: 'ftr()[]{}/\\-"^*`',
  6: "_",
  8.2: "ABEFKLPRSTVXYZ&+=<>~#$?",
  9.3: "CDGHNOQU",
  11: "mMw@%",
  12.6: "W",
};
const LETTER_WIDTHS = new Float64Array(FIRST_UNKNOWN_LETTER).fill(LETTER_WIDTH);
for (const [width, letters] of Object.entries(LETTERS_BY_WIDTH))
  for (const letter of letters) LETTER_WIDTHS[letter.charCodeAt(0)] = Number(width);

/** Letters of the rows of a box are smaller. */
export const ROW_FONT_SHARE = 10 / 12;

/** Estimated width of a label of 12 px. The core measures no text. */
export function textWidth(text: string): number {
  let width = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    width += code < FIRST_UNKNOWN_LETTER ? LETTER_WIDTHS[code]! : code >= FIRST_WIDE_LETTER ? WIDE_LETTER_WIDTH : LETTER_WIDTH;
  }
  return width;
}

/** Width of a box with its name and rows. */
export function boxWidth(label: string, hasBadge: boolean, rows: readonly string[] = []): number {
  let width = textWidth(label) + PADDING + (hasBadge ? BADGE_WIDTH : 0);
  for (const row of rows.slice(0, BOX.mostRows)) width = Math.max(width, textWidth(row) * ROW_FONT_SHARE + PADDING);
  return Math.min(Math.max(Math.ceil(width / BOX.widthStep) * BOX.widthStep, BOX.leastWidth), BOX.mostWidth);
}

export const nodeHeight = (rows: number): number => BOX.nodeHeight + Math.min(rows, BOX.mostRows) * BOX.rowHeight;

/** Names of modules differ at their starts, as in "fc1: Linear", and what follows is their type. */
const HEAD_SHARE = 0.6;

/** A label for a width in letters of 12 px; `ONLY_CUT` where not even two letters have room. */
export const cutLabel = (text: string, width: number): string => cutMiddle(text, width, textWidth, HEAD_SHARE);

/** Width of the header of an open scope. */
export const headerWidth = (label: string): number => Math.min(textWidth(label), BOX.mostWidth) + PADDING + 2 * BADGE_WIDTH;
