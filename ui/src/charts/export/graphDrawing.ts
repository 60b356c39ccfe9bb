// SPDX-License-Identifier: Apache-2.0
import { pixel, type Drawing } from "../../core/layout/vectorDrawing";
import { escapeXml } from "../../core/text/escapeXml";
import { graphShapes, type PlacedBox, type ScopeBox, type ScopeFlow } from "../graphs/graphShapes";
import type { Size } from "../frame/plotFrame";

/** The outermost scopes of a graph as a drawing of a page. */
export function graphDrawing(boxes: readonly ScopeBox[], flows: readonly ScopeFlow[], size: Size): Drawing {
  const placed = graphShapes(boxes, flows, size);
  const curves = placed.flows.map(({ path, width }) => `<path class="axis" d="${path}" fill="none" stroke-width="${width.toFixed(1)}"/>`);
  return { ...size, body: [...curves, ...placed.boxes.map(box)].join(""), plot: null };
}

function box({ name, nodes, x, y, width, height, label, font }: PlacedBox): string {
  const text =
    label === ""
      ? ""
      : `<text x="${pixel(x + width / 2)}" y="${pixel(y + height / 2 + font / 3)}" text-anchor="middle" font-size="${font}" fill="var(--ink)">${escapeXml(label)}</text>`;
  return `<g><title>${escapeXml(name)} · ${nodes}</title><rect x="${pixel(x)}" y="${pixel(y)}" width="${pixel(width)}" height="${pixel(height)}" rx="2" fill="var(--accent-wash)" stroke="var(--accent)"/>${text}</g>`;
}
