// The arguments of the plugin, with the namespace of the kubeconfig's context behind names that have none. A kubeconfig or a
// context that cannot be used is wrong usage.

import { UsageError } from "../../config/values.ts";
import { contextNamespace } from "../../kube/index.ts";
import { printError } from "../print/print-error.ts";
import type { ContextNamespace } from "./kubectl.ts";
import { fromKubectl } from "./kubectl.ts";

export async function pluginArguments(args: readonly string[]): Promise<readonly string[]> {
  const { args: translated, note } = await fromKubectl(args, ask);
  if (note !== null) printError(note);
  return translated;
}

const ask: ContextNamespace = async ({ kubeconfig, context }) => {
  try {
    return await contextNamespace({ path: kubeconfig, context });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};
