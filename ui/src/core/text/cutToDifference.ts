// SPDX-License-Identifier: Apache-2.0
import { cutMiddle, letterCount } from "./cutMiddle";

const WORD = /[\p{L}\p{N}]/u;

/** A name for a width: where another one begins alike, the start gives way up to the word in which they differ; else the middle. */
export function cutToDifference(name: string, names: readonly string[], width: number): string {
  if (letterCount(name) <= width) return name;
  let from = Math.max(0, ...names.map((other) => (other === name ? 0 : commonLength(name, other))));
  while (from > 0 && WORD.test(name[from - 1]!)) from--;
  if (from <= width / 2) return cutMiddle(name, width);
  return `…${name.slice(Math.min(from, name.length - width + 1))}`;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
