// SPDX-License-Identifier: Apache-2.0
const RULES = new Intl.PluralRules("en", { type: "ordinal" });
const ENDS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };

/** An English ordinal number: 1st, 2nd, 3rd, 11th. */
export function ordinal(number: number): string {
  return `${number}${ENDS[RULES.select(number)] ?? "th"}`;
}
