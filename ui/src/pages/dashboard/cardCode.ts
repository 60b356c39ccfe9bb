// SPDX-License-Identifier: Apache-2.0
import type { Framework, KindCard } from "../previews/kind";

/** What to write into a training script to fill a card: for the framework of a run, for all where it is unknown. */
export function cardCode({ code }: KindCard, framework: Framework | null): string {
  if (typeof code === "string") return code;
  return framework ? code[framework] : Object.values(code).join("\n\n");
}
