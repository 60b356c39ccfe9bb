// SPDX-License-Identifier: Apache-2.0
import { graphs } from "../../i18n/en/graphs";
import { addEnglish } from "../../i18n/i18n.svelte";

addEnglish(graphs);
