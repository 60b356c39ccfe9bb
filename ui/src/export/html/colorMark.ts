// SPDX-License-Identifier: Apache-2.0
import type { Dash } from "../../core/series/dashes";
import { html, type Markup } from "./markup";

const PIECES = 48;

/** A scale of colors in a legend; between its colors are those that a gradient has. */
export function colorRamp(colors: readonly string[]): Markup {
  const width = 96 / PIECES;
  const pieces = Array.from({ length: PIECES }, (_, at) => {
    const position = (at / (PIECES - 1)) * (colors.length - 1);
    const from = Math.min(colors.length - 2, Math.floor(position));
    const fill = `color-mix(in srgb,${colors[from + 1]!} ${((position - from) * 100).toFixed(1)}%,${colors[from]!})`;
    return html`<rect x="${at * width}" width="${width + 0.2}" height="8" fill="${fill}"/>`;
  });
  return html`<svg class="map" viewBox="0 0 96 8" aria-hidden="true">${pieces}</svg>`;
}

/** The color of a run, beside its name; a piece of its line where others have its color. */
export function swatch(color: string, dash: Dash = []): Markup {
  if (dash.length > 0) {
    const length = dash.reduce((sum, one) => sum + one, 0);
    return html`<svg class="swatch" viewBox="0 0 ${length} ${length}" aria-hidden="true"><path d="M0 ${length / 2}H${length}" stroke="${color}" stroke-width="${length / 4}" stroke-dasharray="${dash.join(" ")}"/></svg>`;
  }
  return html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="3" fill="${color}"/></svg>`;
}
