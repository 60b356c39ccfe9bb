// SPDX-License-Identifier: Apache-2.0
import type { Drawing } from "../../core/layout/vectorDrawing";
import { t } from "../../i18n/i18n.svelte";
import { html, Markup } from "./markup";
import type { CellsPart, Part, ImagePart, AudioPart, TextPart } from "./model";
import { MAP } from "../../core/scales/colorMap";
import { colorRamp, swatch } from "./colorMark";
import { tableMarkup } from "./tableMarkup";

/** What a reader sees of a part of a card; `index` is its place among the parts. */
export function partMarkup(part: Part, index: number): Markup {
  switch (part.kind) {
    case "curves":
      return drawing(part.drawing, part.label, html` data-part="${index}"`);
    case "drawing":
      return drawing(part.drawing, part.label, part.isNatural ? html` width="${part.drawing.width}"` : null);
    case "surface":
      return html`<div class="surface" data-surface="${index}">${drawing(part.drawing, part.label)}</div>`;
    case "pictures":
      return pictures(part);
    case "cells":
      return cells(part);
    case "table":
      return tableMarkup(part);
    case "text":
      return text(part);
    case "sound":
      return sound(part);
    case "notice":
      return html`<p class="notice ${part.tone}">${part.text}</p>`;
  }
}

/** Drawings less wide than this many times their height do not fill a wide card: they would be as high as a screen. */
const SQUARE = 1.25;
/** Wider drawings fill a screen. */
const LARGE = 800;

function drawing({ width, height, body }: Drawing, label: string, attribute: Markup | null = null): Markup {
  const shape = width < SQUARE * height ? " square" : width > LARGE ? " large" : "";
  return html`<svg class="drawing${shape}"${attribute} viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${new Markup(body)}</svg>`;
}

function pictures({ pictures, arrangement }: ImagePart): Markup {
  const images = pictures.map(({ source, label }) => html`<img src="${source}" alt="${label}">`);
  if (arrangement === "grid") return html`<div class="pictures">${images}</div>`;
  const names = html`<p class="pair-names">${pictures.map(({ label }, index) => html`<span>${"AB"[index] ?? ""} · ${label}</span>`)}</p>`;
  const edge =
    arrangement === "swipe" ? html`<input type="range" min="0" max="100" value="50" hidden aria-label="${t("images.swipe_edge")}">` : null;
  return html`<div class="pair ${arrangement}">${images}</div>${edge}${names}`;
}

function cells({ label, light, dark, cells: [across, down], over, legend }: CellsPart): Markup {
  const shape = across > 4 * down ? " flat" : "";
  return html`<div class="cells${shape}"><picture><source media="(prefers-color-scheme: dark)" srcset="${dark}"><img src="${light}" alt="${label}" width="${across}" height="${down}"></picture>${
    over === "" ? null : html`<svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">${new Markup(over)}</svg>`
  }</div>${legend && html`<p class="scale">${legend.low} ${colorRamp(MAP)} ${legend.high}${legend.marks.map(({ color, name }) => html` <span class="named">${swatch(color)}${name}</span>`)}</p>`}`;
}

function text({ text, markup }: TextPart): Markup {
  return markup === null ? html`<pre class="plain">${text}</pre>` : html`<div class="words">${new Markup(markup)}</div>`;
}

function sound({ label, drawing: wave, source }: AudioPart): Markup {
  return html`${wave && drawing(wave, label)}${source === null ? null : html`<audio controls preload="metadata" src="${source}" aria-label="${label}"></audio>`}`;
}
