// SPDX-License-Identifier: Apache-2.0
// What a saved view reads once, with nothing on the screen that waits for it.
export { fetchGroups as readGroups } from "../../api/expressions";
export { fetchImage as readImageBytes, fetchTags as readTags } from "../../api/routes";
export { readClip } from "./audioClips.svelte";
export {
  fetchAudio as readAudio,
  fetchHeat as readHeat,
  fetchPreviews as readPreviews,
  fetchStatistics as readTensorStatistics,
  fetchTable as readTable,
  fetchTensor as readTensor,
  fetchTexts as readTexts,
  fetchWindow as readWindow,
} from "../../api/values";
