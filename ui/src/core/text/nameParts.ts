// SPDX-License-Identifier: Apache-2.0
const SEPARATOR = /[/_\-+,@: ]/;
/** A sign of this kind in a number such as 1e-4 separates nothing. */
const EXPONENT = /\d[eE][-+]$/;
/** A slash stays: it says that there are directories. */
const LAST_SEPARATORS = /[_\-+,@: ]+$/;
/** A sign replaces shared words in the middle; fewer letters are not worth it. */
const LEAST_MIDDLE = 4;

/** A part of a name: the names around it share it, or differ in it. */
export interface NamePart {
  text: string;
  isShared: boolean;
}

/** Lengths of the beginning and of the end that names share. */
interface SharedEnds {
  start: number;
  end: number;
}

/**
 * Names in parts: the whole words that all begin with, end with and have between in the same order are shared. Each
 * name keeps at least `kept` letters between the ends, which are shared if they have at least `least` letters together.
 * What differs begins after a separator and not with a digit, which alone says nothing. Each end includes its separator.
 */
export function nameParts(names: readonly string[], kept = 1, least = 1): NamePart[][] {
  const ends = sharedEnds(names, kept);
  const { start, end } = ends.start + ends.end < least ? { start: 0, end: 0 } : ends;
  const middles = middleParts(names.map((name) => name.slice(start, name.length - end)));
  return names.map((name, index) =>
    [{ text: name.slice(0, start), isShared: true }, ...middles[index]!, { text: name.slice(name.length - end), isShared: true }].filter(
      ({ text }) => text !== "",
    ),
  );
}

/** What differs of a name; … replaces what is shared in its middle. */
export function differingText(parts: readonly NamePart[]): string {
  const first = parts.findIndex(({ isShared }) => !isShared);
  const last = parts.findLastIndex(({ isShared }) => !isShared);
  return parts
    .slice(Math.max(0, first), last + 1)
    .map(({ text, isShared }, index, own) => (isShared ? "…" : own[index + 1] ? text.replace(LAST_SEPARATORS, "") : text))
    .join("");
}

/** Whether a word ends with the letter at this index. */
function isSeparator(name: string, index: number): boolean {
  return SEPARATOR.test(name[index] ?? "") && !(EXPONENT.test(name.slice(0, index + 1)) && /\d/.test(name[index + 1] ?? ""));
}

/** The words of a name, with the separators after each. */
export function wordsOf(name: string): string[] {
  const words: string[] = [];
  let start = 0;
  for (let index = 0; index < name.length; index++) {
    if (index < name.length - 1 && (!isSeparator(name, index) || isSeparator(name, index + 1))) continue;
    words.push(name.slice(start, index + 1));
    start = index + 1;
  }
  return words;
}

function sharedEnds(names: readonly string[], kept: number): SharedEnds {
  if (names.length < 2) return { start: 0, end: 0 };
  const start = sharedStart(names, kept);
  const rests = names.map((name) => name.slice(start));
  return { start, end: sharedEnd(rests, kept) };
}

function sharedStart(names: readonly string[], kept: number): number {
  const [first = ""] = names;
  let common = most(names, kept);
  for (const name of names) while (!name.startsWith(first.slice(0, common))) common--;
  const start = wordStart(first, common);
  return names.some((name) => /^\d/.test(name.slice(start))) ? wordStart(first, start - 1) : start;
}

/** The last index up to `limit` after a separator. */
function wordStart(name: string, limit: number): number {
  let start = Math.max(0, limit);
  while (start > 0 && !isSeparator(name, start - 1)) start--;
  return start;
}

function sharedEnd(names: readonly string[], kept: number): number {
  const [first = ""] = names;
  let common = most(names, kept);
  for (const name of names) while (!name.endsWith(first.slice(first.length - common))) common--;
  while (common > 0 && !isSeparator(first, first.length - common)) common--;
  return common;
}

/** How many letters the shortest name can spare. */
function most(names: readonly string[], kept: number): number {
  return Math.max(0, Math.min(...names.map(({ length }) => length)) - kept);
}

/** Names in parts by the words that all have in the same order, without their first and last words. */
function middleParts(names: readonly string[]): NamePart[][] {
  const words = names.map(wordsOf);
  const blocks = names.length < 2 ? [] : sharedBlocks(words);
  return words.map((own, index) => {
    const parts: NamePart[] = [];
    let next = 0;
    for (const { starts, length } of blocks) {
      const start = starts[index]!;
      parts.push({ text: own.slice(next, start).join(""), isShared: false });
      parts.push({ text: own.slice(start, start + length).join(""), isShared: true });
      next = start + length;
    }
    return [...parts, { text: own.slice(next).join(""), isShared: false }];
  });
}

interface Block {
  /** Index of the first word in each name. */
  starts: number[];
  /** Number of words. */
  length: number;
}

/** Neighboring words that are inside of all names in the same order, if leaving them out saves enough. */
function sharedBlocks(words: readonly (readonly string[])[]): Block[] {
  const blocks: Block[] = [];
  for (const starts of sharedWords(words)) {
    const block = blocks.at(-1);
    if (block && starts.every((start, index) => start === block.starts[index]! + block.length)) block.length++;
    else blocks.push({ starts, length: 1 });
  }
  const isBeforeDigit = ({ starts, length }: Block): boolean =>
    starts.some((start, index) => /^\d/.test(words[index]![start + length] ?? ""));
  for (const block of blocks) while (block.length > 0 && isBeforeDigit(block)) block.length--;
  const text = ({ starts: [start = 0], length }: Block): string => words[0]!.slice(start, start + length).join("");
  return blocks.filter((block) => text(block).length >= LEAST_MIDDLE);
}

/** Indices in each name of the words inside of them that all have: at the same index if all have as many words. */
function sharedWords(words: readonly (readonly string[])[]): number[][] {
  const [first = []] = words;
  const isAligned = words.every(({ length }) => length === first.length);
  const found: number[][] = [];
  let next = words.map(() => 1);
  for (const [index, word] of first.entries()) {
    if (index === 0) continue;
    const indices = words.map((own, name) => (isAligned ? (own[index] === word ? index : -1) : own.indexOf(word, next[name])));
    if (indices.some((at, name) => at < 1 || at >= words[name]!.length - 1)) continue;
    found.push(indices);
    next = indices.map((at) => at + 1);
  }
  return found;
}
