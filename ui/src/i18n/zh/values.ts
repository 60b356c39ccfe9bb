// SPDX-License-Identifier: Apache-2.0
import type { values as en } from "../en/values";

export const values: Record<keyof typeof en, string> = {
  "nav.tensors": "张量",
  "nav.texts": "文本",
  "nav.audio": "音频",
  "nav.prcurves": "PR 曲线",
  "nav.embeddings": "嵌入",
  "nav.projector": "投影",
  "nav.dashboard": "训练看板",
  "values.step_all": "所有卡片的步骤",
  "values.none": "暂无数据",
  "values.panels": "并排显示的训练",
  "values.restore_title": "重置筛选、步骤和视图",
  "values.empty_how": "在训练脚本中记录：",
  "values.elsewhere": "另有 {n} 个未选择的训练包含此类数据。",
  "values.show_those": "显示这 {n} 个训练",
  "values.show_weight": "在计算图中显示该权重",
};
