// SPDX-License-Identifier: Apache-2.0
const collator = new Intl.Collator("en", { sensitivity: "base" });

const DIGIT = /[0-9]/;
/** A number below one, as rates are, but no part of a version such as 0.10.2; a whole number; what parts paths; a text. */
const TOKEN = /(?<![0-9.])0\.[0-9]+(?!\.?[0-9])|[0-9]+|\/|[^0-9/]+/y;

/**
 * Order of names as people count: run_2 before run_10. A directory stays together, and 0.005 is before 0.02; of
 * equal numbers the one with more zeros before it comes first.
 */
export function compareNames(one: string, other: string): number {
  let at = commonStart(one, other);
  let place = at;
  for (;;) {
    const [left, right] = [tokenAt(one, at), tokenAt(other, place)];
    if (left === "" || right === "") break;
    const order = left === right ? 0 : compareTokens(left, right);
    if (order !== 0) return order;
    at += left.length;
    place += right.length;
  }
  return one.length - at - (other.length - place) || compareTexts(one, other);
}

/** Where the first part of the path begins that is different. */
function commonStart(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at === 0 ? 0 : one.lastIndexOf("/", at - 1) + 1;
}

function tokenAt(text: string, at: number): string {
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)?.[0] ?? "";
}

/** Slashes before numbers before texts. */
function compareTokens(one: string, other: string): number {
  const [kind, otherKind] = [kindOf(one), kindOf(other)];
  if (kind !== otherKind) return kind - otherKind;
  return kind === 1 ? compareNumbers(one, other) : collator.compare(one, other);
}

function kindOf(token: string): 0 | 1 | 2 {
  if (token === "/") return 0;
  return DIGIT.test(token[0]!) ? 1 : 2;
}

/** Of any length; those below one differ after the point, where the order is that of texts. */
function compareNumbers(one: string, other: string): number {
  const [digits, otherDigits] = [one.replace(/^0+|\..*/g, ""), other.replace(/^0+|\..*/g, "")];
  return digits.length - otherDigits.length || compareTexts(digits, otherDigits) || compareTexts(one, other);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Orders by a key, missing keys last in both directions. */
export function orderedBy<T>(items: readonly T[], key: (item: T) => string | number | null, isDescending: boolean): T[] {
  const sign = isDescending ? -1 : 1;
  return [...items].sort((one, other) => {
    const [left, right] = [key(one), key(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (typeof left === "string" || typeof right === "string") return sign * compareNames(String(left), String(right));
    return sign * (left - right);
  });
}
