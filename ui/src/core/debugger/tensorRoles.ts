// SPDX-License-Identifier: Apache-2.0

/** When an operator of a step runs. */
export const PHASES = ["forward", "backward", "optimizer"] as const;
export type DebugPhase = (typeof PHASES)[number];
/** What a tensor is to its operator. */
export const ROLES = ["input", "output", "parameter", "gradient", "buffer"] as const;
export type DebugRole = (typeof ROLES)[number];
