// SPDX-License-Identifier: Apache-2.0

/** The value of a key that people chose. Runs and parameters can be named `constructor`, which every object inherits. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
