// SPDX-License-Identifier: Apache-2.0
const SEPARATOR = /[/_\-+,@: ]/;

/** Lengths of the beginning and of the end that texts share. */
export interface SharedEnds {
  start: number;
  end: number;
}

/**
 * The whole words that several texts begin and end with; each text keeps at least `kept` letters between them. What is
 * left begins after a separator and not with a digit, which alone says nothing. The end includes its separator.
 */
export function sharedEnds(texts: readonly string[], kept = 1): SharedEnds {
  if (texts.length < 2) return { start: 0, end: 0 };
  const start = sharedStart(texts, kept);
  const end = sharedEnd(
    texts.map((text) => text.slice(start)),
    kept,
  );
  return { start, end };
}

/** A text without its shared beginning and end. */
export function between(text: string, { start, end }: SharedEnds): string {
  return text.slice(start, text.length - end);
}

function sharedStart(texts: readonly string[], kept: number): number {
  const [first = ""] = texts;
  let common = most(texts, kept);
  for (const text of texts) while (!text.startsWith(first.slice(0, common))) common--;
  const start = wordStart(first, common);
  return texts.some((text) => /^\d/.test(text.slice(start))) ? wordStart(first, start - 1) : start;
}

/** The last place up to `limit` after a separator. */
function wordStart(text: string, limit: number): number {
  let start = Math.max(0, limit);
  while (start > 0 && !SEPARATOR.test(text[start - 1]!)) start--;
  return start;
}

function sharedEnd(texts: readonly string[], kept: number): number {
  const [first = ""] = texts;
  let common = most(texts, kept);
  for (const text of texts) while (!text.endsWith(first.slice(first.length - common))) common--;
  while (common > 0 && !SEPARATOR.test(first[first.length - common]!)) common--;
  return common;
}

/** How many letters the shortest text can spare. */
function most(texts: readonly string[], kept: number): number {
  return Math.max(0, Math.min(...texts.map(({ length }) => length)) - kept);
}
