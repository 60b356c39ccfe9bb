// SPDX-License-Identifier: Apache-2.0
import type { OfTimeline } from "../../api/profiles";
import { fetchStreams, type StreamsAnswer } from "../../api/profileStreams";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

export type StreamEntry = StreamsAnswer["streams"][number];

/** The streams of devices; gaps shorter than `kernelWait` microseconds are kernel waits. */
export const profileStreams: ResourceDefinition<OfTimeline & { kernelWait: number }, StreamsAnswer> = {
  kind: "profile_streams",
  read: ({ run, profile, kernelWait }, signal) => fetchStreams(run, profile, kernelWait, signal),
  runs: noRuns,
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};
