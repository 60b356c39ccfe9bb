// SPDX-License-Identifier: Apache-2.0
/** What somebody did to a list of labels, as a change that can be made to any other list: what others did stays. */
export function labelChange(from: readonly string[], to: readonly string[]): (labels: readonly string[]) => string[] {
  const added = to.filter((label) => !from.includes(label));
  const removed = from.filter((label) => !to.includes(label));
  return (labels) => [...new Set([...labels.filter((label) => !removed.includes(label)), ...added])];
}
