// The arguments of the plugin, with the namespace of the kubeconfig's context behind names that have none.

import { contextNamespace } from "../kube/index.ts";
import { complain } from "./complain.ts";
import { fromKubectl } from "./kubectl.ts";

export async function pluginArguments(args: readonly string[]): Promise<readonly string[]> {
  const { args: translated, note } = await fromKubectl(args, ({ kubeconfig, context }) =>
    contextNamespace({ path: kubeconfig, context }),
  );
  if (note !== null) complain(note);
  return translated;
}
