// SPDX-License-Identifier: Apache-2.0
/** The texts of a section of a catalog that Python reads too, under keys of the page: the prefix and the code. */
export function catalogTexts<P extends string, C extends string>(
  prefix: P,
  section: Record<C, { text: string }>,
): Record<`${P}_${C}`, string> {
  const texts = Object.entries<{ text: string }>(section).map(([code, { text }]) => [`${prefix}_${code}`, text]);
  return Object.fromEntries(texts) as Record<`${P}_${C}`, string>;
}
