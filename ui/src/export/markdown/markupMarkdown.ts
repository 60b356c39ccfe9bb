// SPDX-License-Identifier: Apache-2.0
import { escaped, tableLines } from "./markdownText";

const HEADINGS: Readonly<Record<string, string>> = { h2: "####", h3: "####", h4: "#####" };
/** Elements that begin and end a line. */
const BLOCKS = "h2, h3, h4, p, ul, ol, dl, table, pre, blockquote, div";

/** Markup of a card as blocks of Markdown: what a page shows as a table is one there too. */
export function markupMarkdown(markup: string): string[] {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return blocksOf(template.content);
}

function blocksOf(parent: ParentNode & Node): string[] {
  const blocks: string[] = [];
  let line = "";
  const end = (): void => {
    if (line.trim() !== "") blocks.push(line.trim());
    line = "";
  };
  for (const node of parent.childNodes) {
    if (!(node instanceof Element) || (!node.matches(BLOCKS) && node.querySelector(BLOCKS) === null)) {
      line += escaped(wordsOf(node));
      continue;
    }
    end();
    blocks.push(...blockOf(node));
  }
  end();
  return blocks;
}

function blockOf(element: Element): string[] {
  const name = element.localName;
  const heading = HEADINGS[name];
  if (heading) return [`${heading} ${escaped(wordsOf(element).trim())}`];
  if (name === "table") return [tableOf(element)];
  if (name === "ul" || name === "ol") return [itemsOf(element, (item) => wordsOf(item).trim())];
  if (name === "dl") return [pairsOf(element)];
  if (name === "pre") return [["```", element.textContent.replaceAll("```", "` ` `"), "```"].join("\n")];
  if (name === "blockquote") return blocksOf(element).map((block) => `> ${block}`);
  return blocksOf(element);
}

function itemsOf(list: Element, words: (item: Element) => string): string {
  return [...list.children].map((item) => `- ${escaped(words(item))}`).join("\n");
}

/** Terms with their descriptions. */
function pairsOf(list: Element): string {
  const pairs: [string, string[]][] = [];
  for (const element of list.querySelectorAll("dt, dd")) {
    const words = wordsOf(element).trim();
    if (element.localName === "dt") pairs.push([words, []]);
    else pairs.at(-1)?.[1].push(words);
  }
  const width = Math.max(...pairs.map(([, values]) => values.length));
  return tableLines(
    Array.from({ length: width + 1 }, () => ({ title: "", isNumber: false })),
    pairs.map(([term, values]) => [term, ...values]),
  ).join("\n");
}

/** The first row names the columns, unless its cells name nothing. */
function tableOf(table: Element): string {
  const rows = [...table.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => wordsOf(cell).trim()));
  const hasHead = table.querySelector("tr > th + th, thead") !== null;
  const width = Math.max(1, ...rows.map(({ length }) => length));
  const head = hasHead ? rows[0]! : [];
  const columns = Array.from({ length: width }, (_, at) => ({ title: head[at] ?? "", isNumber: false }));
  return tableLines(columns, hasHead ? rows.slice(1) : rows).join("\n");
}

function wordsOf(node: Node): string {
  return (node.textContent ?? "").replace(/\s+/g, " ");
}
