// SPDX-License-Identifier: Apache-2.0
import { pictureDifference, type PictureDifference } from "../core/pictureDifference";
import { readPictureOf, type PictureKey } from "./steppedPicture.svelte";

/** How much two pictures differ; null for pictures of different sizes. Raises what the browser raises for bytes that it can't decode. */
export async function readDifference(one: PictureKey, other: PictureKey, signal: AbortSignal): Promise<PictureDifference | null> {
  const [first, second] = await Promise.all([one, other].map(async (key) => createImageBitmap(await readPictureOf(key, signal))));
  const isSameSize = first!.width === second!.width && first!.height === second!.height;
  return isSameSize ? pictureDifference(levelsOf(first!), levelsOf(second!)) : null;
}

function levelsOf(picture: ImageBitmap): Uint8ClampedArray {
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
  canvas.drawImage(picture, 0, 0);
  picture.close();
  return canvas.getImageData(0, 0, width, height).data;
}
