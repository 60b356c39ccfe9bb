// SPDX-License-Identifier: Apache-2.0
/** Of the longest texts, how many are measured: the one with most letters may not be the widest. */
const MEASURED = 3;

let ruler: CanvasRenderingContext2D | null = null;
/** Grows when a font has come: what was measured with another one is measured again. */
let fonts = $state(0);

document.fonts.addEventListener("loadingdone", () => fonts++);

/** Width of the widest text in the type of the page, in CSS pixels. */
export function widestText(texts: readonly string[]): number {
  if (fonts >= 0) ruler ??= document.createElement("canvas").getContext("2d")!;
  const { fontSize, fontFamily } = getComputedStyle(document.body);
  ruler!.font = `550 ${fontSize} ${fontFamily}`;
  const longest = [...new Set(texts)].sort((one, other) => other.length - one.length).slice(0, MEASURED);
  return Math.max(0, ...longest.map((text) => ruler!.measureText(text).width));
}
