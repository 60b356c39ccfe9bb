// SPDX-License-Identifier: Apache-2.0
import { pixel } from "../../core/layout/vectorDrawing";
import { documentCopy, textPart } from "../documentPart";
import type { Part } from "../html/model";
import { seenLabels } from "./seenLabels";

/** Pixels of a picture for a pixel of the page. */
const FINENESS = 2;
/** Less is a mark in a text, not a chart. */
const LEAST = { width: 120, height: 40 };
const MOST_SIDE = 4000;
const LOOK = "fill fill-opacity stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap stroke-linejoin opacity".split(" ");
const LETTERS = "font-size font-weight text-anchor dominant-baseline".split(" ");

/** What a part of a page shows, from top to bottom: its charts as they are painted, between its texts and tables. */
export function seenParts(root: Element): Part[] {
  const charts: Part[] = [];
  const copy = documentCopy(root, (element) => {
    const part = chartPart(element);
    return part ? charts.push(part) - 1 : null;
  });
  const parts: Part[] = [];
  let text = document.createElement("div");
  const end = (): void => {
    if (text.textContent.trim() !== "") parts.push(textPart(text));
    text = document.createElement("div");
  };
  for (const node of [...copy.childNodes]) {
    const chart = node instanceof HTMLElement ? node.dataset.chart : undefined;
    if (chart === undefined) text.append(node);
    else {
      end();
      parts.push(charts[Number(chart)]!);
    }
  }
  end();
  return parts;
}

/** The chart that an element is; null for any other element. */
function chartPart(element: Element): Part | null {
  if (!element.matches("[role=img], [role=application], [role=group], canvas, svg") || !isLarge(element)) return null;
  if (element.querySelector("table, [role=table], [role=grid], h2, h3, p") !== null) return null;
  const layers = element.matches("canvas, svg") ? [element] : [...element.querySelectorAll("canvas, svg:not(svg *)")];
  if (!layers.some(isLarge)) return null;
  const { left, top, width, height } = element.getBoundingClientRect();
  const canvases = layers.filter((layer) => layer instanceof HTMLCanvasElement && layer.width * layer.height > 0);
  const image = canvases.length > 0 ? painted(element, canvases as HTMLCanvasElement[]) : "";
  const drawings = layers.filter((layer) => layer instanceof SVGSVGElement).map((svg) => drawn(svg, left, top));
  const body = image + drawings.join("") + (canvases.length > 0 ? seenLabels(element) : "");
  const drawing = { width: Math.round(width), height: Math.round(height), body, plot: null };
  return { kind: "drawing", label: element.getAttribute("aria-label") ?? "", drawing, isNatural: true, values: null };
}

function isLarge(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width >= LEAST.width && height >= LEAST.height;
}

/** Layers of a chart as one image over the paper of the page. */
function painted(host: Element, layers: readonly HTMLCanvasElement[]): string {
  const { left, top, width, height } = host.getBoundingClientRect();
  const canvas = document.createElement("canvas");
  const scale = Math.min(FINENESS, MOST_SIDE / Math.max(width, height));
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const ctx = canvas.getContext("2d")!;
  ctx.scale(scale, scale);
  ctx.fillStyle = paperOf(host);
  ctx.fillRect(0, 0, width, height);
  for (const layer of layers) {
    const at = layer.getBoundingClientRect();
    ctx.drawImage(layer, at.left - left, at.top - top, at.width, at.height);
  }
  return `<image width="${pixel(width)}" height="${pixel(height)}" href="${canvas.toDataURL()}"/>`;
}

function paperOf(element: Element | null): string {
  for (let one = element; one; one = one.parentElement) {
    const { backgroundColor } = getComputedStyle(one);
    if (backgroundColor !== "rgba(0, 0, 0, 0)") return backgroundColor;
  }
  return "#fff";
}

/** A drawing in its place of the chart, with the looks that it has from the style of the page. */
function drawn(svg: SVGSVGElement, left: number, top: number): string {
  const at = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [shown, copies] = [svg, copy].map((one) => [...one.querySelectorAll<SVGElement>("*")]) as [SVGElement[], SVGElement[]];
  shown.forEach((element, index) => dress(copies[index]!, element));
  const kept = ["viewBox", "preserveAspectRatio"]
    .map((name) => [name, svg.getAttribute(name)] as const)
    .filter(([, value]) => value !== null);
  const attributes = kept.map(([name, value]) => ` ${name}="${value!}"`).join("");
  const box = `x="${pixel(at.left - left)}" y="${pixel(at.top - top)}" width="${pixel(at.width)}" height="${pixel(at.height)}"`;
  return `<svg ${box}${attributes}>${copy.innerHTML}</svg>`;
}

/** Attributes win over nothing: an element that says its color keeps it, so that tokens follow the theme of the reader. */
function dress(copy: SVGElement, shown: SVGElement): void {
  const style = getComputedStyle(shown);
  copy.removeAttribute("class");
  copy.removeAttribute("style");
  for (const name of shown.localName === "text" || shown.localName === "tspan" ? [...LOOK, ...LETTERS] : LOOK) {
    if (shown.closest(`[${name}]`) === null) copy.setAttribute(name, style.getPropertyValue(name));
  }
  if (style.display === "none" || style.visibility === "hidden") copy.setAttribute("display", "none");
}
