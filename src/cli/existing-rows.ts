// The rows of `--nb`, beside which a command asks the policies. What cannot be read is reported.

import type { ExistingRows } from "../backend-kind.ts";
import { backendNamed } from "../backends.ts";
import type { NorthboundConfig } from "../config/remotes.ts";
import { tlsFiles } from "../config/remotes.ts";
import { printError } from "./print/print-error.ts";

/** Rejects with an Error of one sentence. */
export function readExisting(backend: string, { nb, tls }: NorthboundConfig): Promise<ExistingRows> {
  return backendNamed(backend).live.existing(nb, tls && tlsFiles(tls));
}

/** null: they cannot be read, and why is reported on standard error. */
export async function readExistingOrPrintError(
  backend: string,
  config: NorthboundConfig,
): Promise<ExistingRows | null> {
  try {
    return await readExisting(backend, config);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printError(`--nb ${config.nb}: ${error.message}`);
    return null;
  }
}
