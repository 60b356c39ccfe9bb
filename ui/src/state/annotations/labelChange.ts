// SPDX-License-Identifier: Apache-2.0
/** Labels added and removed, as a change that applies to any list and keeps the edits of others. */
export function labelChange(from: readonly string[], to: readonly string[]): (labels: readonly string[]) => string[] {
  const added = to.filter((label) => !from.includes(label));
  const removed = from.filter((label) => !to.includes(label));
  return (labels) => [...new Set([...labels.filter((label) => !removed.includes(label)), ...added])];
}
