// SPDX-License-Identifier: Apache-2.0
import { csvTable } from "../../core/tables/csv";
import { jsonTable, type TableCell } from "../../core/tables/json";

/** Hands a file to the browser's downloads. */
export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\p{L}\p{N}._-]+/gu, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveText(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** Hands over a table as it is shown. */
export function saveTable(name: string, kind: "csv" | "json", header: readonly string[], rows: readonly (readonly TableCell[])[]): void {
  if (kind === "json") saveText(`${name}.json`, "application/json", jsonTable(header, rows));
  else
    saveText(
      `${name}.csv`,
      "text/csv",
      csvTable(
        header,
        rows.map((row) => row.map((cell) => (typeof cell === "boolean" ? String(cell) : cell))),
      ),
    );
}

/** Puts a text into the clipboard, also where the page has no secure context. False: the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const box = document.createElement("textarea");
  box.value = text;
  (document.querySelector(":popover-open") ?? document.body).append(box);
  box.select();
  const isCopied = document.execCommand("copy");
  box.remove();
  return isCopied;
}
