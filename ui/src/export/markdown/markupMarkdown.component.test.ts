// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { markupMarkdown } from "./markupMarkdown";

test("tables, lists and headings of a page are those of Markdown", () => {
  expect(markupMarkdown("<h3>Results <b>2</b></h3><p>One | two</p><ul><li>a</li><li><b>b</b> c</li></ul>")).toEqual([
    "#### Results 2",
    "One \\| two",
    "- a\n- b c",
  ]);
  const head = "<thead><tr><th>Type</th><th>Share</th></tr></thead>";
  expect(markupMarkdown(`<table>${head}<tbody><tr><th>add_mm</th><td>100 %</td></tr></tbody></table>`)).toEqual([
    "| Type | Share |\n| --- | --- |\n| add\\_mm | 100 % |",
  ]);
});

test("a table without names of columns has empty ones, and terms are beside their descriptions", () => {
  expect(markupMarkdown("<table><tr><th>loss</th><td>2.2</td></tr></table>")).toEqual(["|  |  |\n| --- | --- |\n| loss | 2.2 |"]);
  expect(markupMarkdown("<dl><dt>epoch</dt><dd>1</dd><dd>2</dd><dt>size</dt><dd>3</dd></dl>")).toEqual([
    "|  |  |  |\n| --- | --- | --- |\n| epoch | 1 | 2 |\n| size | 3 |  |",
  ]);
});

test("words beside each other are one line, apart from boxes around them", () => {
  expect(markupMarkdown("Max <b>1</b> of 3 <div><p>one</p>two</div>")).toEqual(["Max 1 of 3", "one", "two"]);
});
