// SPDX-License-Identifier: Apache-2.0
export const tables = {
  "table.download": "Download the table",
  "table.csv": "Table (CSV)",
  "table.json": "Table (JSON)",
} as const;
