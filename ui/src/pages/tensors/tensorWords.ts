// SPDX-License-Identifier: Apache-2.0
import { tensorsTexts } from "../../i18n/en/tensorsTexts";
import { addEnglish } from "../../i18n/i18n.svelte";

addEnglish(tensorsTexts);
