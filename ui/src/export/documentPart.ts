// SPDX-License-Identifier: Apache-2.0
import { colorRamp, swatch } from "./html/colorMark";
import { html } from "./html/markup";
import type { NamedRun, TextPart } from "./html/model";

/** Elements that stay what they are; the others are their content. */
const KEPT = new Set("h2 h3 h4 p ul ol li dl dt dd table thead tbody tr th td pre code blockquote b strong em".split(" "));
/** Boxes of a page that begin a line. */
const LINES = new Set("div section article header".split(" "));
/** Tables of boxes, as what they are. */
const ROLES: Readonly<Record<string, string>> = {
  ...{
    list: "ul",
    listitem: "li",
    table: "table",
    grid: "table",
    treegrid: "table",
    row: "tr",
    rowheader: "th",
    columnheader: "th",
    cell: "td",
    gridcell: "td",
  },
};
const LEFT_OUT =
  "input, select, textarea, svg, canvas, style, script, [role=toolbar], [role=radiogroup], [hidden], .for-readers, .no-print, label:has(input), div:has(> input)";
/** Marks of colors in a legend, or beside the name of a run. */
const SWATCHES = ".swatch, .legend-box, .legend-dot";

/** The number of the chart that an element is; null for any other element. */
type ChartNumber = (element: Element) => number | null;

/** What a page says in an element, as text: its headings, paragraphs, lists, tables and code, without controls and pictures. */
export function documentPart(element: Element): TextPart {
  return textPart(documentCopy(element));
}

/** Names of runs with the colors of their lines. */
export function runsPart(runs: readonly NamedRun[]): TextPart {
  const names = runs.map(({ name, color, dash }) => html`${swatch(color, dash)}${name} &ensp;`);
  return { kind: "text", text: runs.map(({ name }) => name).join(", "), markup: html`<p>${names}</p>`.text };
}

export function textPart(copy: Element): TextPart {
  return { kind: "text", text: textOf(copy), markup: copy.innerHTML };
}

/** The elements of a document in an element. Charts among them are empty elements with their number as `data-chart`. */
export function documentCopy(element: Element, chartOf: ChartNumber = () => null): HTMLElement {
  const copy = document.createElement("div");
  copy.append(...contentOf(element, chartOf));
  for (const inner of copy.querySelectorAll(":scope > * [data-chart]")) inner.remove();
  for (const empty of copy.querySelectorAll("p:empty, li:empty, ul:empty, dl:empty, tr:empty, table:empty")) empty.remove();
  return copy;
}

function contentOf(element: Element, chartOf: ChartNumber): Node[] {
  return [...element.childNodes].flatMap((node): Node[] => {
    if (node instanceof Text) return [document.createTextNode(node.data)];
    if (!(node instanceof Element)) return [];
    const chart = chartOf(node);
    if (chart !== null) return [chartMark(chart)];
    if (isLeftOut(node)) return [];
    if (node.matches(".color-ramp")) return rampOf(node);
    if (node.matches(SWATCHES)) return colorMark(node as HTMLElement);
    const name = ROLES[node.getAttribute("role") ?? ""] ?? node.localName;
    const inner = contentOf(node, chartOf);
    if (name === "button") return inner;
    const isLine = LINES.has(name) && !inner.some((one) => one instanceof Element && (KEPT.has(one.localName) || one.localName === "i"));
    if (!KEPT.has(name) && !isLine) return isInline(node) ? inner : [new Text(" "), ...inner, new Text(" ")];
    const kept = document.createElement(KEPT.has(name) ? name : "p");
    kept.append(...(name === "tr" ? inner.filter((one) => one instanceof Element) : inner));
    return isLine && kept.textContent.trim() === "" ? [] : [kept];
  });
}

/** Boxes beside each other have room between them, where letters have none. */
function isInline(element: Element): boolean {
  return ["inline", "contents", ""].includes(getComputedStyle(element).display);
}

/** The color of a line; none where it is not one color. */
function colorMark({ style }: HTMLElement): Node[] {
  const color = style.backgroundColor || style.background;
  return /^(var\(--[\w-]+\)|#\w+|rgba?\([\d.,% ]+\))$/.test(color) ? [...fragment(swatch(color).text).childNodes] : [];
}

/** A scale in the colors that the page has, as the painted chart beside it has them. */
function rampOf(element: Element): Node[] {
  const colors = getComputedStyle(element).backgroundImage.match(/\b[a-z]+\([^()]+\)/g) ?? [];
  return colors.length > 1 ? [...fragment(colorRamp(colors).text).childNodes] : [];
}

function fragment(html: string): DocumentFragment {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

function chartMark(number: number): HTMLElement {
  const mark = document.createElement("i");
  mark.dataset.chart = String(number);
  return mark;
}

/** A button is a word of its sentence or cell; one alone is left out. */
function isLeftOut(element: Element): boolean {
  if (element.localName !== "button") return element.matches(LEFT_OUT);
  const isCell =
    element.closest(
      "td, th, dt, dd, li, h2, h3, h4, [role=listitem], [role=cell], [role=gridcell], [role=rowheader], [role=columnheader]",
    ) !== null;
  return !isCell && ![...(element.parentNode?.childNodes ?? [])].some((node) => node instanceof Text && node.data.trim() !== "");
}

function textOf(copy: Element): string {
  return [...copy.children].map(({ textContent }) => textContent.replace(/[ \n]+/g, " ").trim()).join("\n");
}
