// SPDX-License-Identifier: Apache-2.0
import { flushSync } from "svelte";
import { expect, onTestFinished, test } from "vitest";

import { view } from "../view/view.svelte";
import { scalingOf } from "./curveStyles";

test("a dragged smoothing leaves alone what depends on other settings", () => {
  const before = location.href;
  let [others, smoothed] = [0, 0];
  const stop = $effect.root(() => {
    $effect(() => {
      void [view.scalars, view.comparing, view.list, scalingOf("loss", []), view.isClosed("train")];
      others++;
    });
    $effect(() => {
      void view.smoothing;
      smoothed++;
    });
  });
  onTestFinished(() => {
    stop();
    view.setSmoothing(0);
    history.replaceState(null, "", before);
  });
  flushSync();
  for (const weight of [0.25, 0.5, 0.75]) {
    view.setSmoothing(weight);
    flushSync();
  }
  expect([others, smoothed]).toEqual([1, 4]);
  view.flipLog("loss");
  flushSync();
  expect([others, smoothed]).toEqual([2, 4]);
  view.flipLog("loss");
});
