// SPDX-License-Identifier: Apache-2.0
import { compareNames } from "../text/naturalSort";

/** The prefix of metrics of the machine, which mindscope records beside those of the training. */
export const SYSTEM_PREFIX = "system";

export interface TagGroup<T> {
  /** Text before the first slash; "" for tags without one and for tags that are alone with their prefix. */
  prefix: string;
  items: T[];
}

/**
 * Groups by the prefix before `/`, the machine's last. A prefix with one tag makes no group: a heading over one chart is
 * noise. Tags keep their order: a list of tags is sorted once, when it is read, and not at each key of a filter.
 */
export function groupByPrefix<T extends { tag: string }>(tags: readonly T[]): TagGroup<T>[] {
  const byPrefix = new Map<string, T[]>();
  for (const item of tags) {
    const prefix = tagPrefix(item.tag);
    const items = byPrefix.get(prefix);
    if (items) items.push(item);
    else byPrefix.set(prefix, [item]);
  }
  const isAlone = (tag: string): boolean => tagPrefix(tag) === "" || byPrefix.get(tagPrefix(tag))!.length === 1;
  const alone = tags.filter(({ tag }) => isAlone(tag));
  const groups: TagGroup<T>[] = [];
  for (const [prefix, items] of byPrefix) if (prefix !== "" && items.length > 1) groups.push({ prefix, items });
  groups.sort((one, other) => Number(isSystem(one)) - Number(isSystem(other)) || compareNames(one.prefix, other.prefix));
  return alone.length === 0 ? groups : [{ prefix: "", items: alone }, ...groups];
}

export function isSystemTag(tag: string): boolean {
  return tagPrefix(tag) === SYSTEM_PREFIX;
}

function isSystem({ prefix }: TagGroup<unknown>): boolean {
  return prefix === SYSTEM_PREFIX;
}

export function tagPrefix(tag: string): string {
  const slash = tag.indexOf("/");
  return slash > 0 ? tag.slice(0, slash) : "";
}
