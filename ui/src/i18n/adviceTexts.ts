// SPDX-License-Identifier: Apache-2.0
interface Catalog {
  advice: Record<string, { text: string; remedy: string }>;
  missing: Record<string, { text: string }>;
}

type AdviceKey<T extends Catalog> = `advice.${keyof T["advice"] & string}${"" | "_remedy"}` | `missing.${keyof T["missing"] & string}`;

/** The texts about profiles, from the catalog that Python reads too, under keys of the page. */
export function adviceTexts<T extends Catalog>({ advice, missing }: T): Record<AdviceKey<T>, string> {
  return Object.fromEntries([
    ...Object.entries(advice).flatMap(([code, { text, remedy }]) => [
      [`advice.${code}`, text],
      [`advice.${code}_remedy`, remedy],
    ]),
    ...Object.entries(missing).map(([code, { text }]) => [`missing.${code}`, text]),
  ]) as Record<AdviceKey<T>, string>;
}
