// The rows of `--nb`, beside which a command asks the policies. What cannot be read is reported.

import type { ExistingRows } from "../../backend-kind.ts";
import { backendNamed } from "../../backends.ts";
import type { NorthboundConfig } from "../../config/remotes.ts";
import { tlsFiles } from "../../config/remotes.ts";
import { kindsOfOthers } from "../../dialects.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import { printError } from "../print/print-error.ts";

interface Asking {
  readonly backend: string;
  readonly kinds: Flags;
}

/** Rejects with an Error of one sentence. */
export function readExisting(
  { backend, kinds }: Asking,
  { nb, tls }: NorthboundConfig,
): Promise<ExistingRows> {
  return backendNamed(backend).live.existing(nb, tls && tlsFiles(tls), kindsOfOthers(kinds));
}

/** null: they cannot be read, and why is reported on standard error. */
export async function readExistingOrPrintError(
  asking: Asking,
  config: NorthboundConfig,
): Promise<ExistingRows | null> {
  try {
    return await readExisting(asking, config);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printError(`--nb ${config.nb}: ${error.message}`);
    return null;
  }
}
