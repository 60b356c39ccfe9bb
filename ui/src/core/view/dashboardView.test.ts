// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { DASHBOARD_VIEW, landscapeTag, previewTag, type DashboardView } from "./dashboardView";

function through(view: DashboardView): DashboardView {
  const query = new URLSearchParams();
  DASHBOARD_VIEW.write(view, query);
  return DASHBOARD_VIEW.read(new URLSearchParams(query.toString()));
}

describe("the address of the dashboard", () => {
  it("says nothing of what is as it always is", () => {
    const query = new URLSearchParams();
    DASHBOARD_VIEW.write(DASHBOARD_VIEW.defaultValue, query);
    expect(query.toString()).toBe("");
  });

  it("keeps the run and the tags", () => {
    const view = { run: "a/b c", tags: { scalar: "train/loss&x=1", image: "input" } };
    expect(through(view)).toEqual(view);
  });

  it("does not believe what can't be", () => {
    expect(DASHBOARD_VIEW.read(new URLSearchParams("preview_=x"))).toEqual(DASHBOARD_VIEW.defaultValue);
  });
});

describe("the previewed tag", () => {
  it("is the chosen one while the run has it", () => {
    expect(previewTag(["a", "loss"], "a")).toBe("a");
    expect(previewTag(["a", "loss"], "gone")).toBe("loss");
  });

  it("is the loss of the training before others", () => {
    expect(previewTag(["eval/loss", "lr", "train/loss"], undefined)).toBe("train/loss");
    expect(previewTag(["acc", "loss/auto"], undefined)).toBe("loss/auto");
    expect(previewTag(["eval_loss/auto", "loss/auto"], undefined)).toBe("loss/auto");
    expect(previewTag(["loss/test", "loss/train"], undefined)).toBe("loss/train");
    expect(previewTag(["acc", "val_loss"], undefined)).toBe("val_loss");
    expect(previewTag(["latest_loss"], undefined)).toBe("latest_loss");
    expect(previewTag(["w"], undefined)).toBe("w");
    expect(previewTag([], undefined)).toBeUndefined();
    expect(previewTag(["system/cpu/percent", "train/f1"], undefined)).toBe("train/f1");
  });
});

describe("the previewed landscape", () => {
  it("is the chosen one while the run has it, else the usual one", () => {
    expect(landscapeTag(["a", "b"], "a", "b")).toBe("a");
    expect(landscapeTag(["a", "b"], "gone", "b")).toBe("b");
    expect(landscapeTag(["a", "b"], undefined, "b")).toBe("b");
    expect(landscapeTag([], "a", undefined)).toBeUndefined();
  });
});
