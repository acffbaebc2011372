// The programs that a conformance cluster and its suites are made of, built into .cache/conformance/bin: the node agent by
// e2e/node-agent/build.sh, the others by the suites' own script. Says what is missing, or what this machine lacks to run them.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram } from "../../tools/sandbox/program.ts";
import { namespacesMissing } from "../../test/support/netns.ts";

const bin = fileURLToPath(new URL("../../.cache/conformance/bin", import.meta.url));

export type Program = "agnhost" | "kube-controller-manager" | "node-agent" | ReturnType<typeof programOf>;
export const suiteNames = ["anp", "cnp", "netpol", "cyclonus"] as const;
export type SuiteName = (typeof suiteNames)[number];

/** The others are tests of their modules, compiled. */
export function programOf(suite: SuiteName): "cyclonus" | `${Exclude<SuiteName, "cyclonus">}.test` {
  return suite === "cyclonus" ? suite : `${suite}.test`;
}

export function pathOf(program: Program): string {
  return join(bin, program);
}

/** Why this user cannot have a cluster on this machine; null: nothing hinders. */
export function missingRights(): string | null {
  if (process.getuid?.() !== 0) return "pods in namespaces of the kernel need root";
  return namespacesMissing();
}

/** Which programs of a cluster and of these suites are not there, in words; null: none. */
export function missingPrograms(suites: readonly SuiteName[]): string | null {
  const needed: readonly Program[] = [
    ...(["agnhost", "kube-controller-manager", "node-agent"] as const),
    ...suites.map(programOf),
  ];
  const missing = needed.filter((program) => !isProgram(pathOf(program)));
  return missing.length === 0 ? null : `no ${missing.join(", ")} in ${bin}: make conformance builds them`;
}
