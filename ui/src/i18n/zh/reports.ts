// SPDX-License-Identifier: Apache-2.0
import type { reports as en } from "../en/reports";

export const reports: Record<keyof typeof en, string> = {
  "nav.reports": "报告",
  "reports.add": "添加到报告",
  "reports.add_page": "将页面添加到报告",
  "reports.new": "新建报告",
  "reports.untitled": "未命名报告",
  "reports.added": "已添加到 {title}",
  "reports.open": "打开报告",
  "reports.failed": "无法保存报告",
};
