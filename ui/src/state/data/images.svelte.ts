// SPDX-License-Identifier: Apache-2.0
import { fetchImage, get, imageAddress, type Json } from "../../api/routes";
import { completedList } from "../../core/series/steps";
import { problemOf, type Problem } from "../requests/problem";
import { seriesSource } from "./seriesSource";

export { imageAddress };
export type ImageList = Json<"/api/images", "get">;

export const imageLists = seriesSource<ImageList>({
  kind: "image",
  read: async ({ run, tag }, signal, known) =>
    completedList(await get("/api/images", { run, tag, since: known?.cursor ?? null }, signal), known),
  bytes: ({ id }) => id.length * 80,
});

/** The bytes of a picture, or why there are none. */
export async function readImage(address: string): Promise<Blob | Problem> {
  try {
    return await fetchImage(address);
  } catch (error) {
    return problemOf(error);
  }
}
