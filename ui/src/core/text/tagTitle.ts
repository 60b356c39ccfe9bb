// SPDX-License-Identifier: Apache-2.0
/** A tag as a title: its prefix, and the rest from the last part with letters on. Together they are the whole tag. */
export function tagTitle(tag: string): { before: string; name: string } {
  const cut = tag.replace(/\/+$/, "").lastIndexOf("/") + 1;
  return { before: tag.slice(0, cut), name: tag.slice(cut) };
}
