// SPDX-License-Identifier: Apache-2.0
/** Letters of a passage: as many as are laid out within a frame. */
export const CHUNK_LETTERS = 16_000;

/**
 * A text as passages of whole lines, none longer than `most` letters; one after the other they are the text.
 * A line that is longer is cut, never within a letter: a browser lays out a line of millions for seconds.
 */
export function chunksOf(text: string, most = CHUNK_LETTERS): string[] {
  const passages: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = chunkEnd(text, start, most);
    passages.push(text.slice(start, end));
    start = end;
  }
  return passages;
}

/** Where a passage ends: at the text's end, else at its last line, else where a letter ends. */
function chunkEnd(text: string, start: number, most: number): number {
  if (text.length - start <= most) return text.length;
  const line = text.lastIndexOf("\n", start + most - 1);
  if (line >= start) return line + 1;
  const end = start + most;
  return /[\uD800-\uDBFF]/.test(text[end - 1]!) && most > 1 ? end - 1 : end;
}
