// SPDX-License-Identifier: Apache-2.0
import type { Part } from "../html/model";

/** What a part of the page shows when it has read its data; empty without the part. The code for it is fetched when it is first needed. */
export async function seen(element: () => Element | null | undefined): Promise<Part[]> {
  const [{ laidOut }, { seenParts }] = await Promise.all([import("./laidOut"), import("./seenParts")]);
  return laidOut(() => {
    const root = element();
    return root ? seenParts(root) : [];
  });
}
