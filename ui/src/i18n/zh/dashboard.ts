// SPDX-License-Identifier: Apache-2.0
import type { dashboard as en } from "../en/dashboard";

export const dashboard: Record<keyof typeof en, string> = {
  "dashboard.run": "训练",
  "dashboard.how": "在训练脚本中加入以下代码即可查看",
  "dashboard.missing": "本次训练未记录",
  "dashboard.logs_only": "该训练只有日志文件。",
  "dashboard.open_logs": "打开日志",
  "dashboard.previous": "上一个训练",
  "dashboard.next": "下一个训练",
  "dashboard.of_runs": "第 {n} / {total} 个",
  "dashboard.tag": "预览的标签",
  "dashboard.last_value": "最新值",
  "dashboard.peers": "另有 {n} 个训练",
  "dashboard.some_peers": "另有 {total} 个训练，显示 {n} 个",
  "dashboard.coming": "即将推出",
  "dashboard.coming_title": "数据已保留，后续版本将提供对应页面；目前可在 Python 中用 mindscope.open_run(path) 读取",
  "dashboard.histograms": "直方图",
  "dashboard.graph": "计算图",
  "dashboard.graph_label": "{run} 计算图的顶层作用域",
  "dashboard.fields": "{n} {n|个字段|个字段}",
  "dashboard.nodes": "{nodes} {n|个节点|个节点}",
  "dashboard.pipeline": "数据图",
  "dashboard.stages": "{n} 个阶段",
  "dashboard.landscape": "训练优化过程",
  "dashboard.landscape_label": "{run} 的损失地形俯视图及训练路径",
  "dashboard.profile": "性能调试",
};
