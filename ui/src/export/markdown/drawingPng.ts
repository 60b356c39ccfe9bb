// SPDX-License-Identifier: Apache-2.0
import type { Drawing } from "../../core/layout/vectorDrawing";
import { drawingFile } from "../html/page";

/** Pixels of a picture for a pixel of the drawing. */
const FINENESS = 2;

/** A drawing of a saved page as a picture, in the colors of paper. */
export async function drawingPng(drawing: Drawing, font: string): Promise<Uint8Array<ArrayBuffer>> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawingFile(drawing, font))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = drawing.width * FINENESS;
  canvas.height = drawing.height * FINENESS;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return pngBytes(canvas);
}

export async function pngBytes(canvas: HTMLCanvasElement): Promise<Uint8Array<ArrayBuffer>> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  if (!blob) throw new Error("the picture is too large for this browser");
  return new Uint8Array(await blob.arrayBuffer());
}
