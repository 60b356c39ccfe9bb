// SPDX-License-Identifier: Apache-2.0
/** How much two pictures differ: the largest difference of a level from 0 to 255, and in how many of the pixels there is one. */
export interface ImageDifference {
  largest: number;
  different: number;
  pixels: number;
}

/** Of two pictures of the same size, as red, green, blue and alpha of each pixel; alpha is left out, as it is not drawn. */
export function imageDifference(one: ArrayLike<number>, other: ArrayLike<number>): ImageDifference {
  let [largest, different] = [0, 0];
  for (let at = 0; at < one.length; at += 4) {
    const most = Math.max(
      Math.abs(one[at]! - other[at]!),
      Math.abs(one[at + 1]! - other[at + 1]!),
      Math.abs(one[at + 2]! - other[at + 2]!),
    );
    if (most > 0) different++;
    if (most > largest) largest = most;
  }
  return { largest, different, pixels: one.length / 4 };
}
