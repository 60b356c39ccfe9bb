// SPDX-License-Identifier: Apache-2.0
import { CHUNK_LETTERS, chunksOf } from "./textChunks";
import { renderChunks } from "./markdown";

/** Puts a text into an element, step by step; a long one in passages that a browser lays out one by one. */
export function* fillWithMarkdown(element: Element, text: string): Generator<void> {
  element.replaceChildren();
  for (const passage of renderChunks(text)) {
    element.append(text.length > CHUNK_LETTERS ? framed(passage) : passage);
    yield;
  }
}

function framed(passage: DocumentFragment): HTMLElement {
  for (const long of passage.querySelectorAll("p, pre > code")) {
    if (lettersOf(long) > CHUNK_LETTERS) long.replaceChildren(...gathered(cut(long)));
  }
  const frame = document.createElement("div");
  frame.className = "passage";
  frame.append(passage);
  return frame;
}

function lettersOf(node: Node): number {
  return node.textContent?.length ?? 0;
}

/** What an element holds, its long texts cut. */
function cut(element: Element): Node[] {
  return [...element.childNodes].flatMap((node) =>
    node instanceof Text ? chunksOf(node.data).map((passage) => document.createTextNode(passage)) : [node],
  );
}

/** Neighbors together, until they are long enough. */
function gathered(nodes: readonly Node[]): HTMLElement[] {
  const passages: HTMLElement[] = [];
  let letters = Infinity;
  for (const node of nodes) {
    letters += lettersOf(node);
    if (letters > CHUNK_LETTERS) {
      passages.push(document.createElement("span"));
      letters = lettersOf(node);
    }
    const passage = passages.at(-1)!;
    passage.className = "passage";
    passage.append(node);
  }
  return passages;
}
