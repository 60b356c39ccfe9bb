// SPDX-License-Identifier: Apache-2.0
/** How many texts, from the first, fit side by side in a width. Each takes `extra` besides its letters; `tail` is the text for the rest. */
export function fittingCount(
  texts: readonly string[],
  width: number,
  { letter, extra, tail }: { letter: number; extra: number; tail: number },
): number {
  let taken = 0;
  for (let count = 0; count < texts.length; count++) {
    taken += texts[count]!.length * letter + extra;
    if (taken + (count === texts.length - 1 ? 0 : tail) > width) return count;
  }
  return texts.length;
}
