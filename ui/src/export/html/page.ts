// SPDX-License-Identifier: Apache-2.0
import tokens from "../../styles/tokens.css?raw";
import type { Drawing } from "../../core/layout/vectorDrawing";
import { t } from "../../i18n/i18n.svelte";
import { partMarkup } from "./partMarkup";
import { html, Markup, scriptJson } from "./markup";
import type { CardContent, DrawnCard, NamedRun, PlannedSection, ViewPlan } from "./model";
import type { CardValues } from "./partValues";
import script from "./hover.js?raw";
import surfaceScript from "./surface.js?raw";
import style from "./page.css?raw";
import { swatch } from "./colorMark";

/** What a file says of itself. */
export interface FileFacts {
  /** Where the view is to be found as long as the viewer runs. */
  address: string;
  /** When it was made, in words. */
  made: string;
  /** Of the document: en or zh-CN. */
  language: string;
  /** A random nonce: only the style and the script of the file run. */
  nonce: string;
  /** Style rules of the font, with its bytes. */
  font: string;
}

/** The functions of the scripts, called for the whole file. */
const [POINT, TURN] = [
  `${script.replace("export ", "")}pointAtCurves(document, values);`,
  `${surfaceScript.replace("export ", "")}turnSurfaces(document, values);`,
];
const VALUES = `const values = () => JSON.parse(document.getElementById("values").textContent);`;

/** The name of reports in files, which arranges their sections. */
export const REPORT = "report";
const MAP = 6;
const SHADES = 48;
/** Longer tables go on on the next page of a print. */
const ROWS_OF_PAGE = 16;
/** From this number of sections on, the page has a table of contents. */
const CONTENTS_FROM = 3;

export function openingMarkup(plan: ViewPlan, { address, made, language, nonce, font }: FileFacts): string {
  const policy = `default-src 'none'; img-src data:; media-src data:; font-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  const head = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="mindscope">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${plan.title} · mindscope</title>
<style nonce="${nonce}">${new Markup(font + tokens + shades(":root") + style + filters(plan))}</style>
</head>
<body>
<header>
<p class="brand">mindscope</p>
<h1>${plan.title}</h1>
<p class="made">${t("saved.made", { time: made })} · <a href="${address}" rel="noreferrer">${address}</a></p>
${settings(plan)}${runs(plan.runs)}${contents(plan)}
</header>
<main${mainClass(plan)}>
`;
  return head.text;
}

function mainClass({ page, sections }: ViewPlan): Markup | null {
  if (page === REPORT) return html` class="report"`;
  return sections.flatMap(({ cards }) => cards).length === 1 ? html` class="single"` : null;
}

/** The color map in steps, in the theme of the reader. */
function shades(root: string): string {
  const steps = Array.from({ length: SHADES }, (_, step) => {
    const place = (step / (SHADES - 1)) * (MAP - 1);
    const from = Math.min(MAP - 2, Math.floor(place));
    return `--shade-${step}:color-mix(in srgb,var(--map-${from + 1}) ${((place - from) * 100).toFixed(1)}%,var(--map-${from}));`;
  });
  return `${root}{${steps.join("")}}\n`;
}

function filters({ filter, sections }: ViewPlan): string {
  const ofSections = sections.map((section, index) => filterRule(section.filter, `#section-${index} `));
  return filterRule(filter) + ofSections.join("");
}

function filterRule(filter: string | undefined, within = ""): string {
  return filter === undefined ? "" : `${within}:is(.pictures,.pair){filter:${filter}}\n`;
}

/** The style of cards inside of a shadow root of the viewer, which has the tokens. */
export function cardStyle(filter?: string): string {
  return shades(":host") + style + filterRule(filter);
}

function settings({ settings }: ViewPlan): Markup | null {
  return settings.length === 0
    ? null
    : html`<dl class="settings">${settings.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>\n`;
}

function runs(runs: readonly NamedRun[]): Markup | null {
  if (runs.length === 0) return null;
  const items = runs.map(
    ({ name, color, dash, state }) =>
      html`<li>${swatch(color, dash)}<span>${name}</span>${state === "" ? null : html` <span class="soft">${state}</span>`}</li>`,
  );
  return html`<section class="legend" aria-label="${t("runs.title")}"><h2>${t("runs.title")} <span class="soft">${runs.length}</span></h2><ul>${items}</ul></section>\n`;
}

function contents({ sections }: ViewPlan): Markup | null {
  if (sections.length < CONTENTS_FROM || sections.some(({ title }) => title === "")) return null;
  return html`<nav aria-label="${t("saved.contents")}">${sections.map(({ title, cards }, index) => html`<a href="#section-${index}">${title} <span class="soft">${cards.length}</span></a>`)}</nav>\n`;
}

/** A drawing as a file of its own, in the colors of paper. */
export function drawingFile({ width, height, body }: Drawing, font: string): string {
  const rules = `${font}${tokens}${shades(":root")}${style}:root{color-scheme:light}svg{background:none}`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><style>${rules}</style><rect width="100%" height="100%" fill="var(--paper)"/>${new Markup(body)}</svg>`
    .text;
}

export function sectionMarkup({ title, cards, isHalf = false }: PlannedSection, index: number, isAlone: boolean): string {
  if (title === "") return html`<section id="section-${index}"${isHalf ? html` class="half"` : null}><div class="cards">\n`.text;
  const count = cards.length;
  const heading = isAlone ? html`<h2 class="alone">${title}</h2>` : html`<h2>${title} <span class="soft">${count}</span></h2>`;
  return html`<section id="section-${index}" aria-label="${title}">${heading}\n<div class="cards">\n`.text;
}

export function sectionEnd(): string {
  return "</div></section>\n";
}

/** A card: its title, its facts, and its parts. `id` is that of its values. */
export function cardMarkup(
  { title, run, isWide = false, hasPrefix = true, isProse = false }: DrawnCard,
  { facts, parts }: CardContent,
  id: string,
): string {
  if (isProse) return html`<figure id="${id}" class="prose">${parts.map(partMarkup)}</figure>\n`.text;
  const slash = hasPrefix ? title.lastIndexOf("/") : -1;
  const named = html`<h3><span class="soft">${title.slice(0, slash + 1)}</span>${title.slice(slash + 1)}</h3>`;
  const of = run && html`<span class="run">${swatch(run.color)}${run.name}</span>`;
  const said = facts.map((fact) => html`<span>${fact}</span>`);
  const isLong = parts.some((part) => (part.kind === "table" && part.rows.length > ROWS_OF_PAGE) || part.kind === "text");
  const look = `${isWide ? " wide" : ""}${isLong ? " long" : ""}`;
  return html`<figure id="${id}" class="card${look}"><figcaption>${named}<p class="facts">${of}${said}</p></figcaption>\n${parts.map(partMarkup)}\n</figure>\n`
    .text;
}

/** `hasSurfaces`: a card has a surface to turn. */
export function closingMarkup(nonce: string, hasSurfaces: boolean): { beforeValues: string; afterValues: string } {
  return {
    beforeValues: html`</main>\n<footer>${t("saved.footer")}</footer>\n`.text,
    afterValues: `<script nonce="${nonce}">${VALUES}${POINT}${hasSurfaces ? TURN : ""}</script>\n</body>\n</html>\n`,
  };
}

export function tipWords(): CardValues["words"] {
  return { step: t("tip.step"), smoothed: t("tip.smoothed"), runs: t("compare.tip_count"), more: t("tip.more") };
}

/** The begin of the values of a file: what it is about; the cards follow one by one. */
export function valuesHead(plan: ViewPlan, { address, made, language }: FileFacts): string {
  const { title, page, settings, runs } = plan;
  const words = tipWords();
  const head = scriptJson({ mindscope: "saved view", version: 1, page, title, address, made, language, settings, runs, words });
  return `<script type="application/json" id="values">${head.slice(0, -1)},"cards":[`;
}
