// SPDX-License-Identifier: Apache-2.0
const PREFIX = "mindscope.";

/** What the browser keeps under a name; `fallback` when there is nothing, or nothing readable. */
export function readStored<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

/** Keeps a value; a browser that allows no storage only forgets it. */
export function writeStored(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    return;
  }
}
