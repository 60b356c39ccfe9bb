// SPDX-License-Identifier: Apache-2.0
/** The items with one of them at another index, counted among the others. */
export function moved<Item extends { id: string }>(items: readonly Item[], id: string, index: number): Item[] {
  const item = items.find((one) => one.id === id);
  const others = items.filter((one) => one !== item);
  return item ? [...others.slice(0, index), item, ...others.slice(index)] : [...items];
}

/** The index, among the others, in front of or after another item. */
export function indexBeside<Item extends { id: string }>(items: readonly Item[], id: string, other: string, isAfter: boolean): number {
  const others = items.filter((one) => one.id !== id);
  return others.findIndex((one) => one.id === other) + (isAfter ? 1 : 0);
}
