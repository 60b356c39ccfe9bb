// SPDX-License-Identifier: Apache-2.0
import catalog from "../../../../src/mindscope/texts/zh/errors.json";
import type { errors as en } from "../en/errors";
import { errorTexts } from "../errorTexts";

export const errors: Record<keyof typeof en, string> = {
  "error.unreachable": "服务没有响应",
  "error.unreachable_remedy": "请确认“mindscope start”仍在运行；服务恢复后页面会自动重新连接。",
  "error.retry": "重试",
  "error.no_page": "没有地址为 {path} 的页面",
  "error.no_page_how": "该地址可能属于其他版本，或输入有误。",
  "error.page": "页面出错",
  "error.page_code": "无法加载此页面的代码",
  "error.reload": "重新加载页面",
  "error.runs": "无法加载训练列表",
  "error.tags": "无法加载标签",
  "error.curves": "无法加载曲线",
  "error.export": "下载失败",
  "error.damages": "无法加载损坏信息",
  ...errorTexts(catalog),
};
