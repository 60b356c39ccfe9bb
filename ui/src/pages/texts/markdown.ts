// SPDX-License-Identifier: Apache-2.0
import DOMPurify from "dompurify";
import MarkdownIt, { type Token } from "markdown-it";

import { CHUNK_LETTERS } from "./textChunks";

/** Raw HTML stays text; pictures would ask other machines, so they are left as what they say. */
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true }).disable("image");

const ALLOWED = {
  ALLOWED_TAGS: "a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong table tbody td th thead tr ul".split(" "),
  ALLOWED_ATTR: ["href", "title", "start"],
  ALLOWED_URI_REGEXP: /^(https?:|mailto:|#)/i,
  RETURN_DOM_FRAGMENT: true,
} as const;

/** Markdown as safe elements: no script runs, and nothing is fetched before a click. */
export function renderMarkdown(text: string): DocumentFragment {
  const whole = document.createDocumentFragment();
  whole.append(...renderChunks(text));
  return whole;
}

/** The same in chunks of whole blocks, made on demand: rendering millions of letters takes seconds. */
export function* renderChunks(text: string): Generator<DocumentFragment> {
  const references = {};
  for (const tokens of tokenChunks(markdown.parse(text, references))) {
    yield harmless(markdown.renderer.render(tokens, markdown.options, references));
  }
}

function* tokenChunks(tokens: Token[]): Generator<Token[]> {
  let [first, letters] = [0, 0];
  for (const [index, { content, level, nesting }] of tokens.entries()) {
    letters += content.length;
    if (letters < CHUNK_LETTERS || level > 0 || nesting > 0) continue;
    yield tokens.slice(first, index + 1);
    [first, letters] = [index + 1, 0];
  }
  if (first < tokens.length) yield tokens.slice(first);
}

function harmless(html: string): DocumentFragment {
  const { ALLOWED_TAGS, ALLOWED_ATTR, ...rest } = ALLOWED;
  const fragment = DOMPurify.sanitize(html, { ...rest, ALLOWED_TAGS: [...ALLOWED_TAGS], ALLOWED_ATTR: [...ALLOWED_ATTR] });
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  return fragment;
}
