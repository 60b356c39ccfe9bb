// SPDX-License-Identifier: Apache-2.0
import type { Dash } from "../../core/series/dashes";
import { html, type Markup } from "./markup";

/** The color of a run, beside its name; a piece of its line where others have its color. */
export function swatch(color: string, dash: Dash = []): Markup {
  if (dash.length > 0) {
    const length = dash.reduce((sum, one) => sum + one, 0);
    return html`<svg class="swatch" viewBox="0 0 ${length} ${length}" aria-hidden="true"><path d="M0 ${length / 2}H${length}" stroke="${color}" stroke-width="${length / 4}" stroke-dasharray="${dash.join(" ")}"/></svg>`;
  }
  return html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="3" fill="${color}"/></svg>`;
}
