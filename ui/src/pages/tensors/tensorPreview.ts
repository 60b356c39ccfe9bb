// SPDX-License-Identifier: Apache-2.0
import { tensorLists } from "../../state/data/values.svelte";
import { savedValue } from "../previews/savedTag";
import { read } from "./tensorsExport";

export const saved = savedValue(tensorLists, read);
