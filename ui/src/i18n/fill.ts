// SPDX-License-Identifier: Apache-2.0
export type Values = Record<string, string | number>;

/** Fills `{name}` and chooses in `{n|one|other}`, also by a number that is text; a name without a value stays as it is, so that it is noticed. */
export function fill(message: string, values: Values): string {
  return message.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, other?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (one !== undefined && other !== undefined) return value === 1 || value === "1" ? one : other;
    return String(value);
  });
}
