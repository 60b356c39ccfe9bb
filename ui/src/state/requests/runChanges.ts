// SPDX-License-Identifier: Apache-2.0
type Listener = (changed: ReadonlySet<string> | null) => void;

const listeners = new Set<Listener>();

/** Hears of runs that grew (null: any may have); the returned function ends it. */
export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announceChanges(changed: ReadonlySet<string> | null): void {
  for (const listener of [...listeners]) listener(changed);
}
