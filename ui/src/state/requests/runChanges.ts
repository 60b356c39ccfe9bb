// SPDX-License-Identifier: Apache-2.0
type Listener = (changed: ReadonlySet<string> | null) => void;

const listeners = new Set<Listener>();

/** Subscribes to runs that grew (null: any run); the returned function unsubscribes. */
export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announceChanges(changed: ReadonlySet<string> | null): void {
  for (const listener of [...listeners]) listener(changed);
}
