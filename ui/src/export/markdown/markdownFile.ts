// SPDX-License-Identifier: Apache-2.0
import { zipSync, type Zippable } from "fflate";

import { formatWallTime } from "../../core/text/time";
import { t } from "../../i18n/i18n.svelte";
import { saveBlob } from "../../widgets/controls/download";
import { fontRules } from "../fontRules";
import type { CardContent, CellsPart, Part, PlannedCard, TablePart, ViewPlan } from "../html/model";
import type { Progress } from "../html/write";
import { fileName, notSaved, type SavedOutcome } from "../saveFile";
import { cellsPng } from "./cellsPng";
import { drawingPng } from "./drawingPng";
import { escaped, tableLines } from "./markdownText";
import { markupMarkdown } from "./markupMarkdown";

/** Texts and tables of a plan, and its pictures beside them. */
class MarkdownFiles {
  /** Pictures are compressed already. */
  readonly #files: Zippable = {};
  #text = "";
  readonly #font: string;

  constructor(font: string) {
    this.#font = font;
  }

  add(...lines: string[]): void {
    this.#text += `${lines.join("\n")}\n\n`;
  }

  async addCard({ title, run, isProse }: PlannedCard, { facts, parts }: CardContent): Promise<void> {
    const name = [title, run?.name ?? ""].filter((part) => part !== "").join(" · ");
    if (!isProse) {
      this.add(`### ${escaped(name)}`);
      if (facts.length > 0) this.add(escaped(facts.join(" · ")));
    }
    for (const part of parts) await this.#addPart(part, name, isProse === true);
  }

  zip(): Blob {
    const files = { "report.md": new TextEncoder().encode(this.#text), ...this.#files };
    return new Blob([zipSync(files, { level: 0 })], { type: "application/zip" });
  }

  async #addPart(part: Part, name: string, isProse: boolean): Promise<void> {
    switch (part.kind) {
      case "curves":
      case "drawing":
      case "surface":
        return this.#addFile(name, "png", await drawingPng(part.drawing, this.#font));
      case "pictures":
        for (const { source, label } of part.pictures) this.#addData(label, source);
        return;
      case "cells":
        return this.#addCells(part, name);
      case "sound":
        if (part.source !== null) this.#addData(part.label, part.source);
        return;
      case "table":
        return this.add(...linesOf(part));
      case "text":
        if (isProse) return this.add(part.text);
        if (part.markup !== null) return markupMarkdown(part.markup).forEach((block) => this.add(block));
        return this.add("```", part.text.replaceAll("```", "` ` `"), "```");
      case "notice":
        return this.add(`> ${escaped(part.text)}`);
    }
  }

  /** A picture has a pixel for a cell, which is too small to be seen. */
  async #addCells(part: CellsPart, name: string): Promise<void> {
    this.#addFile(name, "png", await cellsPng(part));
    const { low = "", high = "", marks = [] } = part.legend ?? {};
    if (part.legend) this.add(escaped([t("saved.colors", { low, high }), ...marks.map(({ name }) => name)].join(" · ")));
  }

  #addData(label: string, source: string): void {
    const [, type = "", data = ""] = /^data:(?:image|audio)\/([a-z0-9]+)[^,]*;base64,(.*)$/s.exec(source) ?? [];
    if (data === "") return this.add(escaped(label));
    this.#addFile(
      label,
      type.replace("jpeg", "jpg"),
      Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)),
    );
  }

  #addFile(label: string, ending: string, bytes: Uint8Array<ArrayBuffer>): void {
    const name = `files/${String(Object.keys(this.#files).length + 1).padStart(3, "0")}.${ending}`;
    this.#files[name] = bytes;
    const isSound = ["wav", "mpeg", "mp3", "ogg", "flac"].includes(ending);
    this.add(`${isSound ? "" : "!"}[${escaped(label)}](${name})`);
  }
}

/** Writes a report as Markdown with its pictures, and starts the download of the archive. Never raises. */
export async function saveMarkdown(
  plan: () => Promise<ViewPlan>,
  signal: AbortSignal,
  onprogress: (progress: Progress) => void,
): Promise<SavedOutcome> {
  try {
    const planned = await plan();
    const made = formatWallTime(Date.now() / 1000);
    const all = planned.sections.flatMap(({ cards }) => cards);
    if (all.length === 0) return { isSaved: false, what: t("saved.nothing"), notes: [] };
    const files = new MarkdownFiles(await fontRules(signal));
    files.add(`# ${escaped(planned.title)}`);
    files.add(`${t("saved.made", { time: made })} · <${location.href}>`);
    for (const [done, card] of all.entries()) {
      onprogress({ done, total: all.length, title: card.title });
      const content = await card.make(signal);
      signal.throwIfAborted();
      await files.addCard(card, content);
    }
    const archive = files.zip();
    saveBlob(`${fileName(planned, made)}.zip`, archive);
    return { isSaved: true, cards: all.length, size: archive.size, notes: [] };
  } catch (error) {
    return notSaved(error);
  }
}

function linesOf({ columns, rows }: TablePart): string[] {
  const named = columns.map(({ title, group = "", isNumber }) => ({ title: group === "" ? title : `${group} ${title}`, isNumber }));
  return tableLines(
    named,
    rows.map(({ cells }) => cells.map(({ text }) => text)),
  );
}
