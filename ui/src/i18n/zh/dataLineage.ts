// SPDX-License-Identifier: Apache-2.0
import type { dataLineage as english } from "../en/dataLineage";

export const dataLineage: Record<keyof typeof english, string> = {
  "nav.data_lineage": "数据溯源",
  "pipelines.toolbar": "数据溯源设置",
  "pipelines.pipeline": "数据处理流程",
  "pipelines.mark": "流程 {mark}：标记相同的训练使用相同的数据处理流程",
  "pipelines.count": "{pipelines} {n|种流程|种流程}",
  "pipelines.runs": "{runs} {n|个训练|个训练}",
  "pipelines.more_runs": "+{runs} {n|个训练|个训练}",
  "pipelines.fold": "合并相同流程",
  "pipelines.only_differing": "仅显示有差异的算子",
  "pipelines.show_chart": "图表",
  "pipelines.chart": "各流程之间不同的参数",
  "pipelines.branch": "分支 {number}",
  "pipelines.equal": "相同",
  "pipelines.not_everywhere": "并非所有流程都有",
  "pipelines.lacks": "此流程在这里没有 {operation}",
  "pipelines.rows": "每轮有 {rows} 行数据经此算子输出",
  "pipelines.parameter": "参数",
  "pipelines.restore_title": "重置条件和设置",
  "pipelines.empty": "训练中没有数据处理流程",
  "pipelines.empty_how": "SummaryCollector 会记录训练的数据处理流程：",
};
