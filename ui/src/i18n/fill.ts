// SPDX-License-Identifier: Apache-2.0
export type Values = Record<string, string | number>;
export type Units = Readonly<Record<string, (value: number) => string>>;

/**
 * Fills `{name}` and `{name:unit}`, and chooses in `{n|one|other}`, also by a number that is text. A name without a value stays as it
 * is, so that it is noticed. A value that ends a sentence gets no second full stop.
 */
export function fill(message: string, values: Values, units: Units = {}): string {
  const placeholder = /\{(\w+)(?::(\w+)|\|([^|}]*)\|([^}]*))?\}([.。]?)/g;
  return message.replace(placeholder, (whole, name: string, unit?: string, one?: string, other?: string, stop = "") => {
    const value = values[name];
    if (value === undefined) return whole;
    if (one !== undefined && other !== undefined) return (value === 1 || value === "1" ? one : other) + stop;
    const text = unit === undefined ? String(value) : (units[unit]?.(Number(value)) ?? String(value));
    return /[.?!。]$/.test(text) ? text : `${text}${stop}`;
  });
}
