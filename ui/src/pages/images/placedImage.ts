// SPDX-License-Identifier: Apache-2.0
import type { ImageList } from "../../state/data/images.svelte";
import type { ImageKey } from "../../state/data/steppedImage.svelte";

/** An image with those of the previous and next steps, to preload them. */
export interface PlacedImage {
  key: ImageKey;
  before: ImageKey | null;
  after: ImageKey | null;
}

export function placeImage(list: ImageList, row: number, picture: number): PlacedImage {
  return { key: keyOf(list, row, picture)!, before: keyOf(list, row - 1, picture), after: keyOf(list, row + 1, picture) };
}

function keyOf({ run, tag, id, step }: ImageList, row: number, picture: number): ImageKey | null {
  return id[row] === undefined ? null : { run, tag, id: id[row], picture, step: step[row]! };
}
