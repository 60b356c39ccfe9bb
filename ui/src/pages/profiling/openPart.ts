// SPDX-License-Identifier: Apache-2.0
import { getContext, setContext } from "svelte";

import { isOfPipeline, type AdvicePlace } from "../../core/view/adviceView";
import type { ProfileKey, ProfileView } from "../../core/view/profileView";
import { pageLocation } from "../../state/view/location.svelte";
import { view } from "../../state/view/view.svelte";

const SHOWN_PROFILE = Symbol("shown profile");

/** Says to everything inside which profile is shown; call it while a component is made. */
export function setShownProfile(of: () => ProfileKey | null): void {
  setContext(SHOWN_PROFILE, of);
}

/** Opens a row or a part of the shown profile: on the page Dataset graph what is of the data pipeline, else on Profiling. */
export function openPart(): (change: Partial<ProfileView>, of: AdvicePlace | string) => void {
  const profile = getContext<(() => ProfileKey | null) | undefined>(SHOWN_PROFILE);
  return (change, of) => {
    const chosen = profile?.() ?? view.profiles.chosen;
    view.setProfiles({ ...change, chosen });
    if (isOfPipeline(of) && chosen) view.setGraphs({ run: chosen.run });
    pageLocation.open(isOfPipeline(of) ? "/graph/dataset" : "/profile");
  };
}
