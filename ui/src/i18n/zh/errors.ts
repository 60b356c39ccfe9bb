// SPDX-License-Identifier: Apache-2.0
import type { errors as en } from "../en/errors";

export const errors: Record<keyof typeof en, string> = {
  "error.unreachable": "服务没有响应",
  "error.unreachable_remedy": "请确认“mindscope start”仍在运行；服务恢复后页面会自动继续。",
  "error.retry": "重试",
  "error.page": "页面出错",
  "error.page_code": "无法获取此页面的代码",
  "error.reload": "重新加载页面",
  "error.runs": "无法读取训练列表",
  "error.tags": "无法读取标签",
  "error.curves": "无法读取曲线",
  "error.export": "下载失败",
  "error.damages": "无法读取损坏信息",
};
