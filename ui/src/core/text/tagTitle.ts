// SPDX-License-Identifier: Apache-2.0
/** A tag as a title: the last part that has letters, with all that follows it, and what stands before. Nothing of the tag is lost. */
export function tagTitle(tag: string): { before: string; name: string } {
  const cut = tag.replace(/\/+$/, "").lastIndexOf("/") + 1;
  return { before: tag.slice(0, cut), name: tag.slice(cut) };
}
