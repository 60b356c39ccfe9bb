// SPDX-License-Identifier: Apache-2.0
import type { profiles as texts } from "../en/profiles";

export const profiles: Record<keyof typeof texts, string> = {
  "nav.profile": "性能调试",
  "kind.profile": "{n} 份性能数据",
  "profile.choose": "性能数据",
  "profile.loading_range": "正在加载…",
  "profile.step_time": "平均单步耗时",
};
