// SPDX-License-Identifier: Apache-2.0
import { pixel } from "../../core/layout/vectorDrawing";
import { html } from "../html/markup";

/** Texts in a chart that are no labels: those of its drawings, which are copied, and of what opens over it. */
const OTHERS = "svg, canvas, [popover], [aria-hidden=true], .for-readers";

/** Texts of the page beside or over the canvases of a chart, such as names of tracks, as texts of its drawing. */
export function seenLabels(chart: Element): string {
  const frame = chart.getBoundingClientRect();
  const texts = document.createTreeWalker(chart, NodeFilter.SHOW_TEXT);
  const labels: string[] = [];
  while (texts.nextNode()) labels.push(labelOf(texts.currentNode as Text, frame));
  return labels.join("");
}

/** A text where the page has it, cut off where the page cuts it off. */
function labelOf(text: Text, frame: DOMRect): string {
  const parent = text.parentElement!;
  const words = text.data.trim();
  if (words === "" || parent.closest(OTHERS) || !parent.checkVisibility({ visibilityProperty: false })) return "";
  const range = document.createRange();
  range.selectNodeContents(text);
  const { left, top, bottom, right } = range.getBoundingClientRect();
  const room = (parent.closest(".clip") ?? parent).getBoundingClientRect();
  const width = Math.min(right, room.right, frame.right) - left;
  const middle = (top + bottom) / 2;
  if (width <= 0 || middle < frame.top || middle > frame.bottom) return "";
  const { fontSize, fontWeight, color } = getComputedStyle(parent);
  const box = `x="${pixel(left - frame.left)}" y="${pixel(top - frame.top)}" width="${pixel(width)}" height="${pixel(bottom - top)}"`;
  const look = html`y="${pixel((bottom - top) / 2)}" dominant-baseline="central" font-size="${fontSize}" font-weight="${fontWeight}"
  fill="${color}"`;
  return `<svg ${box}>${html`<text ${look}>${words}</text>`.text}</svg>`;
}
