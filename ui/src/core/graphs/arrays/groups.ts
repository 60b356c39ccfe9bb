// SPDX-License-Identifier: Apache-2.0
/** Members of each group, one after the other: group `g` is `members[start[g]]` to `members[start[g + 1] - 1]`. */
export interface Groups {
  start: Int32Array;
  members: Int32Array;
}

/** Groups the indices of `keys` by key in linear time, in their order; a negative key leaves its index out. */
export function groupBy(keys: Int32Array, groupCount: number): Groups {
  const start = new Int32Array(groupCount + 1);
  for (const key of keys) if (key >= 0) start[key + 1]!++;
  for (let group = 0; group < groupCount; group++) start[group + 1]! += start[group]!;
  const next = start.slice(0, groupCount);
  const members = new Int32Array(start[groupCount]!);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    if (key >= 0) members[next[key]!++] = index;
  }
  return { start, members };
}

/** The members of one group, as a view of the array. */
export const membersOf = (groups: Groups, group: number): Int32Array =>
  groups.members.subarray(groups.start[group]!, groups.start[group + 1]!);

export const sizeOf = (groups: Groups, group: number): number => groups.start[group + 1]! - groups.start[group]!;

/** The same groups with each member replaced by `values[member]`. */
export const groupValues = (groups: Groups, values: Int32Array): Groups => ({
  start: groups.start,
  members: groups.members.map((member) => values[member]!),
});
