// SPDX-License-Identifier: Apache-2.0
/** Records of one sort, by their key. */
export type ByKey<Entry> = ReadonlyMap<string, Entry>;

/** Records as an answer tells them; null is one that is there no more. */
export type Told<Entry> = Readonly<Record<string, Entry | null>>;

export function filled<Entry>(told: Told<Entry>): ByKey<Entry> {
  return merged(new Map(), told);
}

/** What was known with what was told since; the same map when nothing was. */
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
