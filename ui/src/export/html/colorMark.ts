// SPDX-License-Identifier: Apache-2.0
import { html, type Markup } from "./markup";

/** The color of a run, beside its name. */
export function swatch(color: string): Markup {
  return html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="3" fill="${color}"/></svg>`;
}
