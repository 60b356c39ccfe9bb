// SPDX-License-Identifier: Apache-2.0
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Order of names as people count: run_2 before run_10. */
export function compareNames(one: string, other: string): number {
  return collator.compare(one, other) || (one < other ? -1 : one > other ? 1 : 0);
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
