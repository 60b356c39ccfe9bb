// SPDX-License-Identifier: Apache-2.0
/** Labels added and removed: a change that applies to any list and keeps the edits of others. */
export interface LabelChange {
  added: readonly string[];
  removed: readonly string[];
}

export function labelsAfter({ added, removed }: LabelChange, labels: readonly string[]): string[] {
  return [...new Set([...labels.filter((label) => !removed.includes(label)), ...added])];
}
