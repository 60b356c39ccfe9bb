// SPDX-License-Identifier: Apache-2.0
/** Markup that needs no escaping any more. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Child = Markup | string | number | null | readonly Child[];

/** Markup with everything that is filled in escaped, unless it is markup itself; null is left out. */
export function html(texts: TemplateStringsArray, ...children: readonly Child[]): Markup {
  return new Markup(texts.reduce((whole, text, index) => whole + filled(children[index - 1] ?? null) + text));
}

function filled(child: Child): string {
  if (child === null) return "";
  if (child instanceof Markup) return child.text;
  return Array.isArray(child) ? child.map(filled).join("") : escaped(String(child));
}

const NAMES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text for an element or an attribute in double quotes; line ends stay. */
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => NAMES[letter]!);
}

/** JSON inside of a script element: nothing in it can end the element or begin a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
