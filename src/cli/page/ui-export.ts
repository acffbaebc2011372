// `northgate ui --export`: the world that the page would show, read once, as one file. Ends when the file is written.

import type { UiConfig } from "../../config/ui.ts";
import { exportedPage } from "../../ui/export/exported-page.ts";
import { exportedAnswers } from "../../ui/export/answers.ts";
import { pageFiles } from "../../ui/serving/page-files.ts";
import { writeWhole } from "../print/written-file.ts";
import { openShownWorld } from "./ui-world.ts";

/** Throws an Error of one sentence when something cannot be read, made or written. */
export async function exportUi(config: UiConfig, file: string): Promise<void> {
  const opened = await openShownWorld(config);
  try {
    const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const answers = await Promise.race([exportedAnswers(opened.world, wait), opened.failed]);
    writeWhole(file, exportedPage(pageFiles(), answers, new Date().toISOString()));
  } finally {
    await opened.close();
  }
}
