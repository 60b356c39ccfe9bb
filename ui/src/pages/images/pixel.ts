// SPDX-License-Identifier: Apache-2.0
/** A pixel of a picture: its place from the left and the top, and its levels from 0 to 255. */
export interface Pixel {
  x: number;
  y: number;
  levels: readonly [red: number, green: number, blue: number, alpha: number];
}

/** The pixel of a picture at a point of the window. */
export function pixelAt(image: HTMLImageElement, { clientX, clientY }: { clientX: number; clientY: number }): Pixel | null {
  const box = image.getBoundingClientRect();
  const x = Math.floor(((clientX - box.left) / box.width) * image.naturalWidth);
  const y = Math.floor(((clientY - box.top) / box.height) * image.naturalHeight);
  if (!(x >= 0 && y >= 0 && x < image.naturalWidth && y < image.naturalHeight)) return null;
  const canvas = new OffscreenCanvas(1, 1).getContext("2d")!;
  canvas.drawImage(image, x, y, 1, 1, 0, 0, 1, 1);
  const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
  return { x, y, levels: [red!, green!, blue!, alpha!] };
}

/** x 12 y 3 · 255 0 12; the alpha channel only where something shines through. */
export function pixelText({ x, y, levels }: Pixel): string {
  return `x ${x} y ${y} · ${(levels[3] === 255 ? levels.slice(0, 3) : levels).join(" ")}`;
}
