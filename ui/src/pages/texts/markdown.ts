// SPDX-License-Identifier: Apache-2.0
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";

/** Raw HTML stays text; pictures would ask other machines, so they are left as what they say. */
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true }).disable("image");

const ALLOWED = {
  ALLOWED_TAGS: "a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong table tbody td th thead tr ul".split(" "),
  ALLOWED_ATTR: ["href", "title", "start"],
  ALLOWED_URI_REGEXP: /^(https?:|mailto:|#)/i,
  RETURN_DOM_FRAGMENT: true,
} as const;

/** Markdown as elements that can do no harm: nothing in them runs, and nothing is fetched before somebody clicks. */
export function renderMarkdown(text: string): DocumentFragment {
  const { ALLOWED_TAGS, ALLOWED_ATTR, ...rest } = ALLOWED;
  const fragment = DOMPurify.sanitize(markdown.render(text), { ...rest, ALLOWED_TAGS: [...ALLOWED_TAGS], ALLOWED_ATTR: [...ALLOWED_ATTR] });
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  return fragment;
}
