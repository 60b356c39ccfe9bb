// SPDX-License-Identifier: Apache-2.0
import { html, type Markup } from "./markup";
import type { TableColumn, TablePart } from "./model";
import { swatch } from "./colorMark";

/** Letters of a text that is not worth a second line. */
const SHORT = 24;

/** A table whose first column names the rows and stays in sight. */
export function tableMarkup({ label, columns, rows, isFolded = false }: TablePart): Markup {
  const body = rows.map(
    ({ color, cells }) =>
      html`<tr>${cells.map(({ text }, index) => {
        if (index === 0) return html`<th scope="row">${color === null ? null : swatch(color)}${text}</th>`;
        const look = columns[index]?.isNumber ? "number" : text.length <= SHORT ? "short" : "";
        return html`<td${look === "" ? null : html` class="${look}"`}>${text}</td>`;
      })}</tr>`,
  );
  const table = html`<div class="table" role="group" aria-label="${label}" tabindex="0"><table><thead>${groups(columns)}<tr>${columns.map(heading)}</tr></thead><tbody>${body}</tbody></table></div>`;
  return isFolded ? html`<details><summary>${label}</summary>${table}</details>` : table;
}

function heading({ title, isNumber }: TableColumn): Markup {
  return html`<th scope="col"${isNumber ? html` class="number"` : null}>${title}</th>`;
}

/** Words above neighboring columns; null where no column has one. */
function groups(columns: readonly TableColumn[]): Markup | null {
  if (columns.every(({ group = "" }) => group === "")) return null;
  const spans: { group: string; size: number }[] = [];
  for (const { group = "" } of columns) {
    if (spans.at(-1)?.group === group) spans.at(-1)!.size++;
    else spans.push({ group, size: 1 });
  }
  return html`<tr class="groups">${spans.map(({ group, size }) => (group === "" ? html`<td colspan="${size}"></td>` : html`<th scope="colgroup" colspan="${size}">${group}</th>`))}</tr>`;
}
