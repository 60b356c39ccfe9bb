// SPDX-License-Identifier: Apache-2.0
import { waiting } from "../../state/requests/pendingRequests.svelte";

const LOOK_MS = 20;
/** The page asks for nothing during this time: its charts have all that they show. */
const QUIET_MS = 120;
const PATIENCE_MS = 30_000;
/** Out of sight; nothing in it takes the focus. */
const UNSEEN = "display: block; position: fixed; top: 0; left: -3000px; width: 1240px; height: 1000px; visibility: hidden";

/** Looks at the page while it has a size: a report reads pages in a frame that has none, and charts without a size are not painted. */
export async function laidOut<T>(look: () => T): Promise<T> {
  const frame = window.frameElement;
  frame?.setAttribute("style", UNSEEN);
  try {
    if (frame) await quiet();
    return look();
  } finally {
    frame?.removeAttribute("style");
  }
}

/** A long computation that the page shows and asks for again and again. */
const IN_PROGRESS = "main progress";

/** Waits until the page requests nothing and shows no progress. */
async function quiet(): Promise<void> {
  let still = 0;
  for (let waited = 0; still < QUIET_MS && waited < PATIENCE_MS; waited += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    still = waiting.count === 0 && document.querySelector(IN_PROGRESS) === null ? still + LOOK_MS : 0;
  }
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
