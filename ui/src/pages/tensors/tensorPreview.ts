// SPDX-License-Identifier: Apache-2.0
import { tensorLists } from "../../state/data/values.svelte";
import { savedValue } from "../previews/savedTag";
import { readCard } from "./tensorsExport";

export const saved = savedValue(tensorLists, readCard);
