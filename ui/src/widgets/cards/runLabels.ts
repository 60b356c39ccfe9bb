// SPDX-License-Identifier: Apache-2.0
import type { RunLabel } from "../../core/runs/runNames";

/** Under this name the app gives widgets the name of a run by its id. */
export const RUN_LABELS_CONTEXT = Symbol("run labels");

export type LabelOf = (id: string) => RunLabel;
