// SPDX-License-Identifier: Apache-2.0
/** Why an operation failed, from the server: a stable code, the values for the text, and the text in English. */
export interface Reason {
  code: string;
  values: Readonly<Record<string, string | number>>;
  message: string;
}

/** What a reason says in the words of a catalog; its own English where the catalog has none, as of a later server. */
export function saidBy(reason: Reason, words: (key: string, values: Record<string, string | number>) => string | null): string {
  const { errno } = reason.values;
  const cause = errno === undefined ? null : words(`error.os.${errno}`, {});
  const values = cause === null ? { ...reason.values } : { ...reason.values, reason: cause };
  return words(`error.code.${reason.code}`, values) ?? reason.message;
}
