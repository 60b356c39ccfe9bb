// SPDX-License-Identifier: Apache-2.0
const MINUS = "\u2212";

/** What a cell holds that is no finite number, by its text. */
export type OddCell = "nan" | "positive_infinity" | "negative_infinity";

const ODD: Readonly<Record<string, OddCell>> = { nan: "nan", inf: "positive_infinity", "-inf": "negative_infinity" };
const SHOWN: Readonly<Record<OddCell, string>> = { nan: "NaN", positive_infinity: "+Inf", negative_infinity: `${MINUS}Inf` };
/** Texts up to this long are read at a glance. */
const LONGEST = { whole: 13, fraction: 8 } as const;
const DIGITS = 6;
const NUMBER = /^-?\d*\.?\d+(e[+-]?\d+)?$/;

export function oddCell(text: string): OddCell | null {
  return ODD[text] ?? null;
}

/** A cell as it is shown. Whole numbers and texts stay as they are; exponents are for the very large and the very small. */
export function formatCell(text: string, decimals: number | null, isScientific: boolean): string {
  const odd = oddCell(text);
  if (odd) return SHOWN[odd];
  if (!NUMBER.test(text)) return text;
  if (isScientific) return withMinus(Number(text).toExponential(decimals ?? undefined));
  if (decimals === null || isWhole(text)) return withMinus(/e/.test(text) ? String(Number(text)) : text);
  return withMinus(fixed(Number(text), decimals));
}

function isWhole(text: string): boolean {
  return !/[.e]/.test(text);
}

/** Numbers that need too many digits before the point keep their exponent. */
function fixed(value: number, decimals: number): string {
  return Math.abs(value) < 1e15 ? value.toFixed(decimals) : value.toExponential(decimals);
}

/** Exact if short, otherwise rounded to six digits; zeros never replace digits. */
export function shortCell(text: string | null): string {
  if (text === null) return "–";
  if (text.length <= LONGEST[isWhole(text) ? "whole" : "fraction"] || !NUMBER.test(text)) return formatCell(text, null, false);
  const rounded = Number(Number(text).toPrecision(DIGITS));
  return withMinus(Math.abs(rounded) < 10 ** DIGITS ? String(rounded) : rounded.toExponential());
}

function withMinus(text: string): string {
  return text.replaceAll("-", MINUS).replace("e+", "e");
}
