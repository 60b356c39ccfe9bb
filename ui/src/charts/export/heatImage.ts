// SPDX-License-Identifier: Apache-2.0
import { MAP } from "../../core/scales/colorMap";
import { endLabels, oddKinds, type ColorRange, type Heat } from "../../core/series/heat";
import { escapeXml } from "../../core/text/escapeXml";
import { ODD_COLORS } from "../heat/heatCanvas";
import type { HeatPlot } from "../heat/heatPlot";

const MARGIN = 12;
const TITLE = 28;
const LEGEND = 32;
const BAR = 96;
const FONT = `font-family="Inter, system-ui, sans-serif" font-size="11"`;

/** A heat map with its title and legend as a drawing: the cells are a picture of one pixel each, the rest is text. */
export function heatSvg(plot: HeatPlot, title: string): Blob {
  return new Blob([drawing(plot, title).text], { type: "image/svg+xml" });
}

/** The same as PNG at twice the resolution of the page. */
export function heatPng(plot: HeatPlot, title: string): Promise<Blob> {
  const { text, width, height } = drawing(plot, title);
  return pngOfSvg(text, width, height);
}

function drawing(plot: HeatPlot, title: string): { text: string; width: number; height: number } {
  const drawn = plot.drawn();
  if (!drawn) throw new Error("no cells are drawn");
  const size = { width: Math.max(drawn.width, 320) + 2 * MARGIN, height: drawn.height + TITLE + LEGEND };
  const ink = plot.themeColors.hex("var(--ink)");
  const image = `<image x="${MARGIN}" y="${TITLE}" width="${drawn.width}" height="${drawn.height}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${drawn.cells}"/>`;
  const text =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}">` +
    `<rect width="100%" height="100%" fill="${plot.themeColors.hex("var(--paper)")}"/>` +
    `<text x="${MARGIN}" y="18" ${FONT} font-weight="600" fill="${ink}">${escapeXml(title)}</text>` +
    `${image}<g transform="translate(${MARGIN} ${TITLE + drawn.height + 10})" ${FONT} fill="${ink}">${legend(plot, drawn.heat, drawn.range)}</g></svg>\n`;
  return { text, ...size };
}

function legend({ themeColors }: HeatPlot, heat: Heat, range: ColorRange | null): string {
  const [low, high] = range ? endLabels(range) : ["", ""];
  const stops = MAP.map((color, index) => `<stop offset="${index / (MAP.length - 1)}" stop-color="${themeColors.hex(color)}"/>`).join("");
  const bar =
    `<linearGradient id="map">${stops}</linearGradient><rect x="56" width="${BAR}" height="8" fill="url(#map)"/>` +
    `<text x="50" y="8" text-anchor="end">${low}</text><text x="${62 + BAR}" y="8">${high}</text>`;
  const odd = oddKinds(heat).map(({ name, kind }, index) => {
    const x = BAR + 124 + index * 48;
    return `<rect x="${x}" width="8" height="8" fill="${themeColors.hex(ODD_COLORS[kind - 1]!)}"/><text x="${x + 12}" y="8">${name}</text>`;
  });
  return (range === null ? "" : bar) + odd.join("");
}

/** A drawing as a picture, twice as fine as its size in CSS pixels. */
async function pngOfSvg(text: string, width: number, height: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(2 * width);
  canvas.height = Math.round(2 * height);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for this browser"))));
  });
}
