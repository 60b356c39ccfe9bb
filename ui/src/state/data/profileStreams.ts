// SPDX-License-Identifier: Apache-2.0
import { get, type Json } from "../../api/routes";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";
import type { OfTimeline } from "./profiles";

type StreamsAnswer = Json<"/api/profiles/streams", "get">;
export type StreamEntry = StreamsAnswer["streams"][number];

/** The streams of devices; gaps shorter than `kernelWait` microseconds are kernel waits. */
export const profileStreams: ResourceDefinition<OfTimeline & { kernelWait: number }, StreamsAnswer> = {
  kind: "profile_streams",
  read: ({ run, profile, kernelWait }, signal) => get("/api/profiles/streams", { run, profile, kernel_wait_us: kernelWait }, signal),
  runs: noRuns,
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};
