// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor } from "../pages/previews/kind";
import { AUDIO } from "./audio";
import { EMBEDDING } from "./embedding";
import { GRAPH } from "./graph";
import { HISTOGRAM } from "./histogram";
import { HPARAMS } from "./hparams";
import { HTML } from "./html";
import { IMAGE } from "./image";
import { LANDSCAPE } from "./landscape";
import { MESH } from "./mesh";
import { PIPELINE } from "./pipeline";
import { PR_CURVE } from "./prCurve";
import { PROFILE } from "./profile";
import { SCALAR } from "./scalar";
import { TABLE } from "./table";
import { TENSOR } from "./tensor";
import { TENSOR_STATISTICS } from "./tensorStatistics";
import { TEXT } from "./text";
import { VIDEO } from "./video";

/** Every kind of data, in the order of the navigation, of the dashboard and of counts. */
export const KINDS: readonly KindDescriptor[] = [
  SCALAR,
  IMAGE,
  VIDEO,
  HISTOGRAM,
  TENSOR,
  TEXT,
  AUDIO,
  TABLE,
  HTML,
  MESH,
  PR_CURVE,
  EMBEDDING,
  GRAPH,
  HPARAMS,
  PIPELINE,
  LANDSCAPE,
  PROFILE,
  TENSOR_STATISTICS,
];
