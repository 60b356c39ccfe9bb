// SPDX-License-Identifier: Apache-2.0
import type { frame as en } from "../en/frame";

export const frame: Record<keyof typeof en, string> = {
  "nav.label": "页面",
  "nav.runs": "训练列表",
  "nav.scalars": "标量",
  "nav.images": "图像",
  "nav.distributions": "参数分布图",

  "search.label": "搜索标签和训练",
  "search.placeholder": "搜索标签和训练",
  "search.hint": "按 / 键搜索",
  "search.tags": "标签",
  "search.runs": "训练",
  "search.none": "没有与“{text}”匹配的标签或训练",

  "live.live": "实时",
  "live.paused": "已暂停",
  "live.connecting": "连接中",
  "live.lost": "连接已断开",
  "live.once": "仅加载一次",
  "live.pause": "正在实时更新，点击暂停",
  "live.resume": "实时更新已暂停，点击继续",
  "live.lost_title": "服务没有响应，正在重连。请确认“mindscope start”仍在运行。",
  "live.once_title": "服务启动时加载间隔设为 0，不会再加载新数据",
  "live.updated": "更新于{ago}",

  "language.label": "语言",

  "theme.label": "主题",
  "theme.system": "跟随系统",
  "theme.light": "浅色",
  "theme.dark": "深色",

  "filter.regex": "正则表达式",
  "filter.clear": "清除筛选",
  "filter.bad": "不是有效的正则表达式：{error}",

  "side.label": "训练选择",
  "side.title": "训练",
  "side.toggle": "训练选择",
  "side.hide": "收起训练选择",
  "side.filter": "筛选训练",
  "side.shown": "已显示 {shown} / {total}",
  "side.all": "显示所有匹配的训练",
  "side.none": "全部不显示",
  "side.only": "仅此项",
  "side.only_label": "仅显示 {run}",
  "side.check": "显示 {run}",
  "side.sort": "训练排序",
  "side.sort_name": "名称",
  "side.sort_updated": "更新时间",
  "side.sort_state": "状态",
  "side.nothing": "没有匹配的训练",

  "colour.change": "{run} 的颜色",
  "colour.slot": "颜色 {number}",
  "colour.own": "自定义颜色",
  "colour.reset": "恢复默认颜色",

  "dialog.close": "关闭",
};
