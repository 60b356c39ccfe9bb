// SPDX-License-Identifier: Apache-2.0
/** Records of one sort, by their key. */
export type ByKey<Entry> = ReadonlyMap<string, Entry>;

/** Records in a response; null marks a deleted record. */
export type Told<Entry> = Readonly<Record<string, Entry | null>>;

export function filled<Entry>(told: Told<Entry>): ByKey<Entry> {
  return merged(new Map(), told);
}

/** Applies updates to known records; returns the same map when there are none. */
export function merged<Entry>(known: ByKey<Entry>, told: Told<Entry>): ByKey<Entry> {
  const changes = Object.entries(told);
  if (changes.length === 0) return known;
  const all = new Map(known);
  for (const [key, record] of changes) {
    if (record === null) all.delete(key);
    else all.set(key, record);
  }
  return all;
}
