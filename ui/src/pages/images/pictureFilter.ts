// SPDX-License-Identifier: Apache-2.0
/** The CSS filter of all pictures of the page; undefined when they are shown as they are. */
export function pictureFilter({ brightness, contrast }: { brightness: number; contrast: number }): string | undefined {
  return brightness === 1 && contrast === 1 ? undefined : `brightness(${brightness}) contrast(${contrast})`;
}
