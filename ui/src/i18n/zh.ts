// SPDX-License-Identifier: Apache-2.0
import type { MessageKey } from "./en";
import { compare } from "./zh/compare";
import { compareTexts } from "./zh/compareTexts";
import { dashboard } from "./zh/dashboard";
import { dataLineage } from "./zh/dataLineage";
import { graphs } from "./zh/graphs";
import { histograms } from "./zh/histograms";
import { errors } from "./zh/errors";
import { debugCompareTexts } from "./zh/debugCompare";
import { findingsTexts } from "./zh/findings";
import { firstBadTexts } from "./zh/firstBad";
import { frame } from "./zh/frame";
import { images } from "./zh/images";
import { keys } from "./zh/keys";
import { advice } from "./zh/advice";
import { embeddingTexts } from "./zh/embeddings";
import { landscapes } from "./zh/landscapes";
import { profileRows } from "./zh/profileRows";
import { profileDiff } from "./zh/profileDiff";
import { profileParts } from "./zh/profileParts";
import { debuggerTexts } from "./zh/debugger";
import { recommendationTexts } from "./zh/recommendations";
import { watchpointTexts } from "./zh/watchpoints";
import { profileRanks } from "./zh/profileRanks";
import { profiles } from "./zh/profiles";
import { pairTexts } from "./zh/pair";
import { lineage } from "./zh/lineage";
import { modelLineage } from "./zh/modelLineage";
import { fileTexts } from "./zh/files";
import { logTexts } from "./zh/logs";
import { queryTexts } from "./zh/query";
import { media } from "./zh/media";
import { reports } from "./zh/reports";
import { reportTexts } from "./zh/reportTexts";
import { runs } from "./zh/runs";
import { saved } from "./zh/saved";
import { scalars } from "./zh/scalars";
import { tables } from "./zh/tables";
import { tensors } from "./zh/tensors";
import { tensorsTexts } from "./zh/tensorsTexts";
import { values } from "./zh/values";
import { views } from "./zh/views";

/** Simplified Chinese, in the words of MindInsight's documentation. */
export const zh: Record<MessageKey, string> = {
  ...frame,
  ...errors,
  ...runs,
  ...scalars,
  ...compare,
  ...compareTexts,
  ...images,
  ...histograms,
  ...dashboard,
  ...values,
  ...views,
  ...reports,
  ...tensors,
  ...tensorsTexts,
  ...media,
  ...landscapes,
  ...embeddingTexts,
  ...profileRows,
  ...profiles,
  ...lineage,
  ...modelLineage,
  ...dataLineage,
  ...graphs,
  ...keys,
  ...saved,
  ...tables,
  ...advice,
  ...profileParts,
  ...profileRanks,
  ...profileDiff,
  ...findingsTexts,
  ...firstBadTexts,
  ...watchpointTexts,
  ...recommendationTexts,
  ...debugCompareTexts,
  ...fileTexts,
  ...logTexts,
  ...queryTexts,
  ...pairTexts,
  ...reportTexts,
  ...debuggerTexts,
};
