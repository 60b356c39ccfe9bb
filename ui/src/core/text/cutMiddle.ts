// SPDX-License-Identifier: Apache-2.0
/** Letters of East Asia and pictures are twice as wide as others. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;

/** The number of letters, where wide ones count twice. */
export function letterCount(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}

/** What is left of a text where not even two of its letters have room. */
export const ONLY_CUT = "…";

/** A text for a width, by default in letters: its middle gives way. A third stays of its start, since most names differ at their ends. */
export function cutMiddle(text: string, width: number, measure: (text: string) => number = letterCount, headShare = 1 / 3): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  let [most, next] = [1, letters.length]; // a text of `most` letters fits, one of `next` letters doesn't
  while (next - most > 1) {
    const kept = (most + next) >> 1;
    if (measure(withLetters(letters, kept, headShare)) <= width) most = kept;
    else next = kept;
  }
  return most > 1 ? withLetters(letters, most, headShare) : ONLY_CUT;
}

/** `kept` letters, that share of them from the start. */
function withLetters(letters: readonly string[], kept: number, headShare: number): string {
  const head = Math.floor(kept * headShare);
  return `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (kept - head)).join("")}`;
}

/** The fewest letters, from `least` on, to which different names can be cut so that they still differ. */
export function distinctLength(names: readonly string[], least: number): number {
  const different = [...new Set(names)];
  const longest = Math.max(least, ...different.map(letterCount));
  for (let length = least; length < longest; length++) {
    if (new Set(different.map((name) => cutMiddle(name, length))).size === different.length) return length;
  }
  return longest;
}
