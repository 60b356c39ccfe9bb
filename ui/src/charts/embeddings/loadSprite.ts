// SPDX-License-Identifier: Apache-2.0
import type { Sprite } from "./pointScene";

/** Graphics cards take larger pictures; those of weak ones do not. */
const LARGEST = 8192;

/** The images of points as a picture that a graphics card takes; null for a picture without a whole image. */
export async function loadSprite(address: string, size: readonly [number, number], rows: Int32Array): Promise<Sprite | null> {
  const image = new Image();
  image.src = address;
  await image.decode();
  const columns = Math.floor(image.naturalWidth / size[0]);
  const lines = Math.floor(image.naturalHeight / size[1]);
  if (columns === 0 || lines === 0) return null;
  const [width, height] = [columns * size[0], lines * size[1]];
  const scale = Math.min(1, LARGEST / Math.max(width, height));
  const picture = document.createElement("canvas");
  picture.width = Math.round(width * scale);
  picture.height = Math.round(height * scale);
  picture.getContext("2d")!.drawImage(image, 0, 0, width, height, 0, 0, picture.width, picture.height);
  return { picture, columns, tiles: columns * lines, rows, size: [picture.width / columns, picture.height / lines] };
}
