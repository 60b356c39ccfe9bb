// SPDX-License-Identifier: Apache-2.0
interface Catalog {
  errors: Record<string, { text: string; remedy?: string }>;
  system_errors: Record<string, string>;
}

type ErrorKey<T extends Catalog> =
  `error.${"code" | "remedy"}.${keyof T["errors"] & string}` | `error.os.${keyof T["system_errors"] & string}`;

/** The texts of the errors that Python raises, from the catalog that it reads too, under keys of the page. */
export function errorTexts<T extends Catalog>({ errors, system_errors }: T): Record<ErrorKey<T>, string> {
  const codes = Object.entries(errors);
  return Object.fromEntries([
    ...codes.map(([code, { text }]) => [`error.code.${code}`, text]),
    ...codes.flatMap(([code, { remedy }]) => (remedy === undefined ? [] : [[`error.remedy.${code}`, remedy]])),
    ...Object.entries(system_errors).map(([name, text]) => [`error.os.${name}`, text]),
  ]) as Record<ErrorKey<T>, string>;
}
