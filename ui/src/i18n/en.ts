// SPDX-License-Identifier: Apache-2.0
import type { advice } from "./en/advice";
import { compare } from "./en/compare";
import { dashboard } from "./en/dashboard";
import { dataLineage } from "./en/dataLineage";
import { graphs } from "./en/graphs";
import { histograms } from "./en/histograms";
import { errors } from "./en/errors";
import type { firstBadTexts } from "./en/firstBad";
import { frame } from "./en/frame";
import { images } from "./en/images";
import { keys } from "./en/keys";
import { landscapes } from "./en/landscapes";
import { profileRows } from "./en/profileRows";
import { profileDiff } from "./en/profileDiff";
import { profileParts } from "./en/profileParts";
import { debuggerTexts } from "./en/debugger";
import { profileRanks } from "./en/profileRanks";
import { profiles } from "./en/profiles";
import { lineage } from "./en/lineage";
import { modelLineage } from "./en/modelLineage";
import { media } from "./en/media";
import { runs } from "./en/runs";
import { saved } from "./en/saved";
import { scalars } from "./en/scalars";
import { tables } from "./en/tables";
import { tensors } from "./en/tensors";
import { values } from "./en/values";
import { views } from "./en/views";

/** English, a file a page, without what a page adds when it is loaded. `{name}` is filled in; `{n|run|runs}` chooses by the number n. */
export const en = {
  ...frame,
  ...errors,
  ...runs,
  ...scalars,
  ...compare,
  ...images,
  ...histograms,
  ...dashboard,
  ...values,
  ...views,
  ...tensors,
  ...media,
  ...landscapes,
  ...profileRows,
  ...profiles,
  ...profileDiff,
  ...profileParts,
  ...profileRanks,
  ...debuggerTexts,
  ...lineage,
  ...modelLineage,
  ...dataLineage,
  ...graphs,
  ...keys,
  ...saved,
  ...tables,
} as const;

/** The texts of advice and of the first bad number come with the code that shows them. */
export type MessageKey = keyof typeof en | keyof typeof advice | keyof typeof firstBadTexts;
