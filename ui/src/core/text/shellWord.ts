// SPDX-License-Identifier: Apache-2.0

/** A text as one word of a POSIX shell, which expands nothing in it: names of runs come from the disk. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
