// SPDX-License-Identifier: Apache-2.0

/** Which element shows which row: rows in sight keep theirs, and rows that come take those of rows that went. */
export class RowSlots {
  private slots: ReadonlyMap<string, number> = new Map();
  private count = 0;

  /** The slots of these rows, by their keys, which differ. The slot of a row that is held goes with the row. */
  of(keys: readonly string[], isHeld: (key: string) => boolean): readonly number[] {
    const wanted = new Set(keys);
    const free = [...this.slots].filter(([key]) => !wanted.has(key) && !isHeld(key)).map(([, slot]) => slot);
    let taken = 0;
    this.slots = new Map(keys.map((key) => [key, this.slots.get(key) ?? free[taken++] ?? this.count++]));
    return [...this.slots.values()];
  }
}
