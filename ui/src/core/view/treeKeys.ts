// SPDX-License-Identifier: Apache-2.0
import type { Codec } from "./schema";

const [FNV_OFFSET, FNV_PRIME] = [0x811c9dc5, 0x01000193];
const KEY = /^[0-9a-z]{1,7}$/;
const MOST_KEYS = 1000;

/**
 * A short key of each node of a tree, for the address: the same in another profile with the same names. Parents come before
 * their children, -1 is above the roots. Siblings of one name are told apart by their order.
 */
export function treeKeys(parent: ArrayLike<number>, name: (node: number) => string): string[] {
  const keys: string[] = [];
  const seen = new Map<string, number>();
  for (let node = 0; node < parent.length; node++) {
    const path = `${keys[parent[node]!] ?? ""}/${name(node)}`;
    const place = seen.get(path) ?? 0;
    seen.set(path, place + 1);
    keys.push(hashed(`${path}#${place}`));
  }
  return keys;
}

/** FNV-1a, 32 bits. */
function hashed(text: string): string {
  let hash = FNV_OFFSET;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return (hash >>> 0).toString(36);
}

export const TREE_KEYS: Codec<readonly string[]> = { read: treeKeysOf, write: (keys) => keys.join(".") };

/** The keys that an address lists. */
export function treeKeysOf(text: string): string[] {
  const keys = text.split(".").filter((key) => KEY.test(key));
  return [...new Set(keys)].slice(0, MOST_KEYS);
}

export function toggledKey(keys: readonly string[], key: string): string[] {
  return keys.includes(key) ? keys.filter((each) => each !== key) : [...keys, key];
}
