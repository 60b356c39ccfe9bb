// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { adviceView, isOfPipeline, partView, type AdvicePlace } from "./adviceView";
import { PROFILE_VIEW } from "./profileView";

const VIEW = PROFILE_VIEW.defaultValue;
const place = (change: Partial<AdvicePlace>): AdvicePlace => ({
  ...{ kind: "step", name: "", of: "", row: -1, begin_ns: null, duration_ns: null, slice: null },
  ...change,
});

test.each<[Partial<AdvicePlace>, object]>([
  [
    { kind: "step", name: "12" },
    { tab: "overview", steps: { step: 12 } },
  ],
  [
    { kind: "operator", name: "aten::mm", row: 2 },
    { tab: "operators", part: "operators", rows: { group: "each", row: 2 } },
  ],
  [
    { kind: "kernel", name: "k", row: 0 },
    { tab: "operators", part: "kernels", rows: { where: [{ column: "name", text: "k" }], row: 0 } },
  ],
  [
    { kind: "stream", name: "stream 7", of: "GPU 0" },
    { tab: "overview", stream: "GPU 0 stream 7" },
  ],
  [{ kind: "operation", name: "BatchOp_1" }, { steps: { operation: "BatchOp_1" } }],
  [{ kind: "batch", name: "3", of: "device_queue" }, { steps: { step: 3 } }],
  [
    { kind: "moment", of: "GPU 0", begin_ns: 5 },
    { tab: "memory", memory: { device: "GPU 0", time: 5 } },
  ],
  [
    { kind: "block", of: "CPU", row: 4, begin_ns: null },
    { tab: "memory", memory: { panel: "leaks", block: 4, time: null } },
  ],
  [
    { kind: "further", of: "api_statistic", row: 1 },
    { tab: "overview", further: "api_statistic", furtherRow: 1 },
  ],
  [
    { kind: "collective", row: 5 },
    { tab: "overview", steps: { step: 5 } },
  ],
  [
    { kind: "collective", begin_ns: 1000, duration_ns: 100_000, slice: 7 },
    { tab: "timeline", slice: 7, range: [-1000, 103_000], area: null },
  ],
  [
    { kind: "span", begin_ns: 0, duration_ns: 0 },
    { tab: "timeline", slice: null, range: [-500, 500], area: { begin: 0, end: 1 } },
  ],
  [{ kind: "link", name: "0 → 1" }, {}],
])("%j opens its tab with the row selected", (change, want) => {
  expect(adviceView(place(change), VIEW)).toMatchObject(want);
});

test("a part without rows opens the tab that has all of it", () => {
  expect([partView("memory"), partView("further_tables")]).toEqual([{ tab: "memory" }, { tab: "overview" }]);
});

test("operations, batches and the whole pipeline are on the page Dataset graph, steps are not", () => {
  const rows = (["operation", "batch", "step"] as const).map((kind) => isOfPipeline(place({ kind })));
  expect([...rows, isOfPipeline("data_pipeline"), isOfPipeline("memory")]).toEqual([true, true, false, true, false]);
});
