// SPDX-License-Identifier: Apache-2.0
import type { views as en } from "../en/views";

export const views: Record<keyof typeof en, string> = {
  "views.open": "视图",
  "views.title": "已保存的视图",
  "views.name": "名称",
  "views.save": "保存视图",
  "views.replace": "替换视图",
  "views.how": "视图保存页面、训练、筛选、缩放和合成图表，打开此根目录的所有人都能看到。",
  "views.none": "没有已保存的视图",
  "views.copy": "复制 {title} 的链接",
  "views.copied": "链接已复制",
  "views.set_start": "将 {title} 设为起始页",
  "views.unset_start": "{title} 是起始页。取消起始页",
  "views.delete": "删除 {title}",
  "views.start": "起始页",
};
