// The page of a world of manifests, open in a browser.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import type { Page } from "../support/chromium.ts";
import { Browser } from "../support/chromium.ts";
import { writeJson } from "../support/manifests.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";

export interface OpenedPage {
  /** Of the manifests, in `all.yaml`. */
  readonly folder: string;
  readonly ui: RunningUi;
  readonly page: Page;
  /** The program must end as it should. */
  close(): Promise<void>;
}

/** 1440 by 900, light. */
export async function openPage(
  program: string,
  objects: readonly object[],
  args: readonly string[] = [],
): Promise<OpenedPage> {
  const folder = mkdtempSync(join(tmpdir(), "northgate-page-"));
  writeJson(join(folder, "all.yaml"), objects);
  const ui = await startUi("-f", folder, ...args);
  const browser = await Browser.start(program);
  const page = await browser.open();
  await page.look(1440, 900, "light");
  const close = async (): Promise<void> => {
    await browser.close();
    expect(await ui.end()).toBe(0);
    rmSync(folder, { recursive: true });
  };
  return { folder, ui, page, close };
}
