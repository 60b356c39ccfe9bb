// SPDX-License-Identifier: Apache-2.0
import type { tensorsTexts } from "./en/tensorsTexts";
import type { compareTexts } from "./en/compareTexts";
import type { advice } from "./en/advice";
import type { pairTexts } from "./en/pair";
import type { debuggerTexts } from "./en/debugger";
import { compare } from "./en/compare";
import { dashboard } from "./en/dashboard";
import { dataLineage } from "./en/dataLineage";
import type { graphs } from "./en/graphs";
import { histograms } from "./en/histograms";
import { errors } from "./en/errors";
import type { debugCompareTexts } from "./en/debugCompare";
import type { findingsTexts } from "./en/findings";
import type { firstBadTexts } from "./en/firstBad";
import { frame } from "./en/frame";
import { images } from "./en/images";
import { keys } from "./en/keys";
import type { embeddingTexts } from "./en/embeddings";
import type { landscapes } from "./en/landscapes";
import type { profileRows } from "./en/profileRows";
import type { profileDiff } from "./en/profileDiff";
import type { profileParts } from "./en/profileParts";
import type { recommendationTexts } from "./en/recommendations";
import type { watchpointTexts } from "./en/watchpoints";
import type { profileRanks } from "./en/profileRanks";
import { profiles } from "./en/profiles";
import { lineage } from "./en/lineage";
import { modelLineage } from "./en/modelLineage";
import type { fileTexts } from "./en/files";
import type { logTexts } from "./en/logs";
import type { queryTexts } from "./en/query";
import { media } from "./en/media";
import { reports } from "./en/reports";
import type { reportTexts } from "./en/reportTexts";
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
  ...reports,
  ...tensors,
  ...media,
  ...profiles,
  ...lineage,
  ...modelLineage,
  ...dataLineage,
  ...keys,
  ...saved,
  ...tables,
} as const;

/** Also texts that come with the code that shows them, such as those of the pages Graph, Loss landscapes, Profiling and Debugger. */
export type MessageKey =
  | keyof typeof en
  | keyof typeof advice
  | keyof typeof compareTexts
  | keyof typeof tensorsTexts
  | keyof typeof graphs
  | keyof typeof landscapes
  | keyof typeof embeddingTexts
  | keyof typeof profileRows
  | keyof typeof profileParts
  | keyof typeof profileRanks
  | keyof typeof profileDiff
  | keyof typeof findingsTexts
  | keyof typeof firstBadTexts
  | keyof typeof watchpointTexts
  | keyof typeof recommendationTexts
  | keyof typeof debugCompareTexts
  | keyof typeof fileTexts
  | keyof typeof logTexts
  | keyof typeof queryTexts
  | keyof typeof pairTexts
  | keyof typeof reportTexts
  | keyof typeof debuggerTexts;
