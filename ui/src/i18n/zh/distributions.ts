// SPDX-License-Identifier: Apache-2.0
import type { distributions as en } from "../en/distributions";

export const distributions: Record<keyof typeof en, string> = {
  "distributions.toolbar": "参数分布图设置",
  "distributions.shape": "视角",
  "distributions.shape_ridge": "俯视",
  "distributions.shape_ridge_title": "各步骤前后错开，最新步骤在最前。同一步骤内高度成比例，步骤之间的高度差经过压缩。",
  "distributions.shape_front": "正视",
  "distributions.shape_front_title": "所有步骤的分布叠加显示。同一步骤内高度成比例，步骤之间的高度差经过压缩。",
  "distributions.shape_heat": "热力图",
  "distributions.shape_heat_title": "每个步骤一列，颜色随数值个数的立方根加深",
  "distributions.shape_bands": "分位数",
  "distributions.shape_bands_title": "中位数，以及包含 38%、68%、86% 和 100% 数值的区间",
  "distributions.axis": "步骤轴",
  "distributions.restore_title": "还原筛选、视角和步骤轴",
  "distributions.chart": "{run} 的 {tag} 在 {n} 个步骤中的分布。方向键在步骤和区间之间移动。",
  "distributions.bucket": "区间",
  "distributions.count": "个数",
  "distributions.total": "数值总数",
  "distributions.range": "范围",
  "distributions.steps": "{shown} {n|个步骤|个步骤}",
  "distributions.reduced_title": "共 {steps} 个步骤，均匀选取并绘制了 {shown} 个，包含首末步骤，数据未作改动。放大后可查看更多步骤。",
  "distributions.odd_title": "非有限值不属于任何区间，其步骤标记在图表边缘",
  "distributions.unreadable": "{n} 个无法读取",
  "distributions.csv": "全部区间（CSV）",
  "distributions.empty": "所显示的训练中没有直方图",
  "distributions.empty_how": "在训练脚本中记录直方图：",
};
