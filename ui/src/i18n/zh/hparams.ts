// SPDX-License-Identifier: Apache-2.0
import type { hparams as en } from "../en/hparams";

export const hparams: Record<keyof typeof en, string> = {
  "hparams.toolbar": "表格设置",
  "hparams.columns": "列",
  "hparams.all_columns": "全部列",
  "hparams.different": "仅差异列",
  "hparams.different_title": "隐藏所有训练取值相同的列",
  "hparams.restore_title": "重置筛选、排序和列",
  "hparams.role_parameter": "参数",
  "hparams.role_metric": "指标",
  "hparams.role_custom": "自定义",
  "hparams.column_title": "{role}：{column}",
  "hparams.open": "打开 {run} 的训练看板",
  "hparams.empty": "所选训练中没有超参数",
  "hparams.empty_how": "SummaryCollector 会自动记录；TensorBoard 日志可使用：",
  "hparams.listed": "已列出 {shown} / {total} 个训练：仅所选训练",
  "hparams.no_match": "没有符合筛选条件的训练",
  "hparams.no_columns": "所选训练在所有列中取值都相同",
};
