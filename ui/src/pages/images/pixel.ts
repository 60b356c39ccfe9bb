// SPDX-License-Identifier: Apache-2.0
/** A pixel of a picture: its place from the left and the top, and its levels from 0 to 255. */
export interface Pixel {
  x: number;
  y: number;
  levels: readonly [red: number, green: number, blue: number, alpha: number];
}

/** Which pixel of an element of this size is at a point of the window; null beside it. */
export function placeAt(
  element: Element,
  { width, height }: { width: number; height: number },
  { clientX, clientY }: { clientX: number; clientY: number },
): { x: number; y: number } | null {
  const box = element.getBoundingClientRect();
  const x = Math.floor(((clientX - box.left) / box.width) * width);
  const y = Math.floor(((clientY - box.top) / box.height) * height);
  return x >= 0 && y >= 0 && x < width && y < height ? { x, y } : null;
}

/** The pixel of a picture at a place. */
export function pixelOf(image: HTMLImageElement, { x, y }: { x: number; y: number }): Pixel {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d")!;
  canvas.drawImage(image, x, y, 1, 1, 0, 0, 1, 1);
  const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
  return { x, y, levels: [red!, green!, blue!, alpha!] };
}

/** x 12 y 3 · 255 0 12; the alpha channel only where something shines through. */
export function pixelText({ x, y, levels }: Pixel): string {
  return `x ${x} y ${y} · ${(levels[3] === 255 ? levels.slice(0, 3) : levels).join(" ")}`;
}
