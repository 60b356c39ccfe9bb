// SPDX-License-Identifier: Apache-2.0
/** What a text of an address says as a whole number; null for anything else. */
export function wholeNumber(text: string | null): number | null {
  return text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) + 0 : null;
}

/** Texts of an address once each, in their order. */
export function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
