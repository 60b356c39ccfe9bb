// SPDX-License-Identifier: Apache-2.0
import type { LayoutJob } from "../../core/embeddings/layout";
import { advance, layoutOf } from "./runLayout";

const SHARE_MS = 60;

self.addEventListener("message", ({ data }: MessageEvent<LayoutJob>) => void run(data));

/** Posts what each share of the time reached, and `error` where it fails. Ending the worker stops it. */
async function run(job: LayoutJob): Promise<void> {
  try {
    const layout = layoutOf(job);
    while (layout.iteration < layout.total) {
      const progress = advance(layout, SHARE_MS);
      self.postMessage(progress, { transfer: [progress.places.buffer] });
      await new Promise((resolve) => setTimeout(resolve));
    }
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
}
