// SPDX-License-Identifier: Apache-2.0
import { imageDifference, type ImageDifference } from "../../core/series/imageDifference";
import { readImageOf, type ImageKey } from "./steppedImage.svelte";

/** How much two pictures differ; null for pictures of different sizes. Raises what the browser raises for bytes that it can't decode. */
export async function readDifference(one: ImageKey, other: ImageKey, signal: AbortSignal): Promise<ImageDifference | null> {
  const [first, second] = await Promise.all([one, other].map(async (key) => createImageBitmap(await readImageOf(key, signal))));
  const isSameSize = first!.width === second!.width && first!.height === second!.height;
  return isSameSize ? imageDifference(levelsOf(first!), levelsOf(second!)) : null;
}

function levelsOf(picture: ImageBitmap): Uint8ClampedArray {
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
  canvas.drawImage(picture, 0, 0);
  picture.close();
  return canvas.getImageData(0, 0, width, height).data;
}
