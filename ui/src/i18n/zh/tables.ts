// SPDX-License-Identifier: Apache-2.0
import type { tables as en } from "../en/tables";

export const tables: Record<keyof typeof en, string> = {
  "table.download": "下载表格",
  "table.csv": "表格（CSV）",
  "table.width": "{column} 列宽：拖动或用方向键调整，双击恢复自动列宽",
  "table.json": "表格（JSON）",
};
