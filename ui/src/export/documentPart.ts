// SPDX-License-Identifier: Apache-2.0
import type { TextPart } from "./html/model";

/** Elements that stay what they are; the others are their content. */
const KEPT = new Set("h2 h3 h4 p ul ol li dl dt dd table thead tbody tr th td pre code blockquote b strong em".split(" "));
/** Boxes of a page that begin a line. */
const LINES = new Set("div section article header".split(" "));
const LEFT_OUT = "input, select, textarea, svg, canvas, style, script, [role=toolbar], [hidden], .for-readers";

/** What a page says in an element, as text: its headings, paragraphs, lists, tables and code, without controls and pictures. */
export function documentPart(element: Element): TextPart {
  const copy = document.createElement("div");
  copy.append(...contentOf(element));
  for (const empty of copy.querySelectorAll("p:empty, li:empty, ul:empty, dl:empty")) empty.remove();
  return { kind: "text", text: textOf(copy), markup: copy.innerHTML };
}

function contentOf(element: Element): Node[] {
  return [...element.childNodes].flatMap((node): Node[] => {
    if (node instanceof Text) return [document.createTextNode(node.data)];
    if (!(node instanceof Element) || isLeftOut(node)) return [];
    const name = node.localName;
    const inner = contentOf(node);
    if (name === "button") return inner;
    const isLine = LINES.has(name) && !inner.some((one) => one instanceof Element && (KEPT.has(one.localName) || one.localName === "p"));
    if (!KEPT.has(name) && !isLine) return inner;
    const kept = document.createElement(KEPT.has(name) ? name : "p");
    kept.append(...inner);
    return isLine && kept.textContent.trim() === "" ? [] : [kept];
  });
}

/** A button is a word of its sentence or cell; one alone is left out. */
function isLeftOut(element: Element): boolean {
  if (element.localName !== "button") return element.matches(LEFT_OUT);
  const isCell = element.closest("td, th, dt, dd, li, h2, h3") !== null;
  return !isCell && ![...(element.parentNode?.childNodes ?? [])].some((node) => node instanceof Text && node.data.trim() !== "");
}

function textOf(copy: Element): string {
  return [...copy.children].map(({ textContent }) => textContent.replace(/[ \n]+/g, " ").trim()).join("\n");
}
