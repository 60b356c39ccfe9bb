// SPDX-License-Identifier: Apache-2.0
import { imageLists } from "../../state/data/images.svelte";
import { savedValue } from "../previews/savedTag";
import { readImages } from "./imagesExport";

export const saved = savedValue(imageLists, readImages);
