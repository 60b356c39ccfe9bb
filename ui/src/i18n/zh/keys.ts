// SPDX-License-Identifier: Apache-2.0
import type { keys as en } from "../en/keys";

export const keys: Record<keyof typeof en, string> = {
  "keys.title": "键盘操作",
  "keys.everywhere": "所有页面",
  "keys.search": "搜索页面、标签和训练",
  "keys.side": "显示或收起训练选择",
  "keys.list": "打开此列表",
  "keys.tab": "下一个控件，图表和表格也可用键盘操作",
  "keys.region": "跳到页面的下一个区域，加 ⇧ 为上一个：顶栏、页面导航、训练列表、工具栏、图表",
  "keys.row": "列表中相邻行的同一控件，菜单中的上一项或下一项",
  "keys.escape": "退出全屏，关闭菜单和对话框",
  "keys.curves": "曲线图中",
  "keys.point": "上一个或下一个数据点",
  "keys.points": "一次移动十个数据点",
  "keys.ends": "第一个或最后一个数据点",
  "keys.wheel": "沿水平轴缩放，双指亦可",
  "keys.curve": "上一条或下一条曲线",
  "keys.cells": "直方图、热力图或 PR 曲线中",
  "keys.cell": "上一个或下一个数值、步骤或训练",
  "keys.steps": "带步骤的全屏视图",
  "keys.step": "上一个或下一个步骤",
  "keys.step_ends": "第一个或最新步骤",
  "keys.play": "播放或停止",
  "keys.other_step": "切换用于对比的步骤",
};
