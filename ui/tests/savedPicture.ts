// SPDX-License-Identifier: Apache-2.0
import { expect } from "vitest";

import { pictureFile, type TitledPicture } from "../src/charts/frame/picture";

/** The SVG file of a chart, parsed; it refers to nothing outside of itself. */
export async function savedSvg(offer: TitledPicture): Promise<SVGSVGElement> {
  const file = await pictureFile(offer("Title"), "svg");
  expect(file.type).toBe("image/svg+xml");
  const parsed = new DOMParser().parseFromString(await file.text(), "image/svg+xml");
  expect(parsed.querySelector("parsererror")).toBeNull();
  const root = parsed.documentElement as unknown as SVGSVGElement;
  const values = [root, ...root.querySelectorAll("*")].flatMap((element) =>
    [...element.attributes].filter(({ name }) => name !== "xmlns").map(({ value }) => value),
  );
  expect(values.filter((value) => /https?:|url\((?!["']?#)|var\(/.test(value))).toEqual([]);
  expect(root.querySelectorAll("image, script, foreignObject, [href]")).toHaveLength(0);
  return root;
}

/** The pixels of the PNG file of a chart. */
export async function savedPng(offer: TitledPicture): Promise<ImageData> {
  const file = await pictureFile(offer("Title"), "png");
  expect(file.type).toBe("image/png");
  const bitmap = await createImageBitmap(file);
  const { width, height } = bitmap;
  const ctx = new OffscreenCanvas(width, height).getContext("2d")!;
  ctx.drawImage(bitmap, 0, 0);
  return ctx.getImageData(0, 0, width, height);
}

/** How many colors the pixels below the title have. */
export function colorCount(image: ImageData, top: number): number {
  return new Set(new Uint32Array(image.data.buffer).subarray(top * image.width)).size;
}
