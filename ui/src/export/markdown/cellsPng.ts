// SPDX-License-Identifier: Apache-2.0
import type { CellsPart } from "../html/model";
import { pngBytes } from "./drawingPng";

/** Pixels of the longer side at least, in whole pixels for a cell. */
const LEAST_SIDE = 640;
const LEAST_HEIGHT = 24;

/** A picture of cells whose cells can be seen, in the colors of paper. */
export async function cellsPng({ light, cells: [across, down] }: CellsPart): Promise<Uint8Array<ArrayBuffer>> {
  const image = new Image();
  image.src = light;
  await image.decode();
  const scale = Math.max(1, Math.ceil(LEAST_SIDE / Math.max(across, down)));
  const canvas = document.createElement("canvas");
  canvas.width = across * scale;
  canvas.height = Math.max(LEAST_HEIGHT, down * scale);
  const ctx = canvas.getContext("2d")!;
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
  return pngBytes(canvas);
}
