// SPDX-License-Identifier: Apache-2.0
import { isMediaKind } from "../../core/view/valueView";
import { mediaTags } from "../../state/data/tags.svelte";
import { mediaSteps } from "../../state/view/cardSteps.svelte";
import type { SeriesItem } from "../../state/data/seriesItem";
import { view } from "../../state/view/view.svelte";

/**
 * A tag over the whole page, at the step of its card and from its first picture. Another tensor has other dimensions. An
 * address names the kind of a tag that several kinds have.
 */
export function openMedia({ kind, key, tag }: SeriesItem, picture = 0): void {
  const isShared = mediaTags.list.filter((one) => one.tag === tag).length > 1;
  view.setValues({ slice: null, ...(isShared && isMediaKind(kind) ? { kind } : {}) });
  view.setImageView({ picture });
  mediaSteps.setAll(mediaSteps.of(key));
  view.setFull(tag);
}
