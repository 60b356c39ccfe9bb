// SPDX-License-Identifier: Apache-2.0
import type { FlameName } from "../../core/view/profileTrees";
import { view } from "../../state/view/view.svelte";

/** Properties of a flame graph whose zoom is in the address under its name. */
export function flameZoom(flame: FlameName): { zoomed: string | null; onzoom: (key: string | null) => void } {
  const { [flame]: zoomed, ...others } = view.profiles.flames;
  return {
    zoomed: zoomed ?? null,
    onzoom: (key) => view.setProfiles({ flames: key === null ? others : { ...others, [flame]: key } }),
  };
}
