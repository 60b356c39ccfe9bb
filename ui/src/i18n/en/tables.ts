// SPDX-License-Identifier: Apache-2.0
export const tables = {
  "table.download": "Download the table",
  "table.csv": "Table (CSV)",
  "table.width": "Width of {column}: drag or use the arrow keys; double-click to fit",
  "table.json": "Table (JSON)",
} as const;
