// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { LOGS_VIEW, LOG_LEVELS, type LogsView } from "./logsView";

const name = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }).filter((text) => text.isWellFormed());
const names = fc.uniqueArray(name, { maxLength: 4 });
const views: fc.Arbitrary<LogsView> = fc.record({
  run: fc.option(name),
  files: names,
  level: fc.constantFrom(...LOG_LEVELS),
  modules: names,
  ranks: fc.uniqueArray(fc.nat(), { maxLength: 3 }),
  filter: fc.record({ text: name, isRegex: fc.boolean() }),
  from: fc.option(fc.nat().map((ms) => ms / 1000)),
  to: fc.option(fc.nat()),
  step: fc.option(fc.integer()),
  time: fc.option(fc.nat()),
  chosen: fc.option(fc.tuple(fc.nat(999), fc.nat())),
  isMessageCard: fc.boolean(),
});

describe("the page Logs in the address", () => {
  it("comes back as it went in", () => {
    fc.assert(
      fc.property(views, (view) => {
        const query = new URLSearchParams();
        LOGS_VIEW.write(view, query);
        expect(LOGS_VIEW.read(new URLSearchParams(query.toString()))).toEqual(view);
      }),
    );
  });

  it("ignores what a link says wrongly", () => {
    expect(LOGS_VIEW.read(new URLSearchParams("log_level=loud&log_from=x&log_line=1&log_rank=-1&log_step=1e9"))).toEqual(
      LOGS_VIEW.defaultValue,
    );
  });
});
