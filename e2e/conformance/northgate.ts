// `northgate run` on a conformance cluster.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getInside } from "../../test/netfilter/agent.ts";
import { toolsFolder } from "../../test/netfilter/tools.ts";
import type { NamespaceProcess } from "../../test/support/netns.ts";
import { Process } from "./processes.ts";

/** What runs as northgate: the sources of this repository, and nothing but its own flags, unless given. */
export interface Northgate {
  /** The command before `run` and its flags. */
  readonly command?: readonly string[];
  /** More flags for `northgate run`. */
  readonly args?: readonly string[];
}

const repository = fileURLToPath(new URL("../../", import.meta.url));
/** The program as it is in this repository. */
const fromSources = [process.execPath, join(repository, "src", "main.ts")];
/** The program as it is shipped; `make build` makes it. */
export const asShipped = [process.execPath, join(repository, "bin", "northgate.js")];

/** Ready when this resolves. */
export async function startNorthgate(
  dir: string,
  { command = fromSources, args = [] }: Northgate,
  where: readonly string[],
): Promise<Process> {
  const config = join(dir, "northgate.yaml"); // names the folder, by which the guard knows the process
  writeFileSync(config, "log-format: json\nmetrics-bind-address: 127.0.0.1:0\n");
  const [program = "", ...before] = command;
  const northgate = new Process(dir, {
    name: "northgate",
    program,
    args: [...before, "run", "--source=kube", `--config=${config}`, ...where, ...args],
  });
  await northgate.ready(async () => {
    const line = northgate
      .log()
      .split("\n")
      .find((one) => one.includes('"metrics are served"'));
    const [, address] = /"address":"([^"]+)"/.exec(line ?? "") ?? [];
    return address !== undefined && (await fetch(`${address}/readyz`)).ok;
  });
  return northgate;
}

const metricsPort = 19_476;

/** The program of one node, in the node's network namespace; ready when this resolves. */
export async function startOnNode(
  dir: string,
  node: string,
  { enter }: Pick<NamespaceProcess, "enter">,
  { command = fromSources, args = [] }: Northgate,
  where: readonly string[],
): Promise<Process> {
  const config = join(dir, `${node}.yaml`);
  writeFileSync(config, `log-format: json\nmetrics-bind-address: 127.0.0.1:${metricsPort}\n`);
  const [program = "", ...before] = enter;
  const ofNode = ["--backend=iptables", `--zone=${node}`, "--source=kube", `--config=${config}`];
  const northgate = new Process(dir, {
    ...{ name: `northgate-${node}`, program },
    args: [...before, ...command, "run", ...ofNode, ...where, ...args],
    env: { ...process.env, PATH: [toolsFolder, process.env["PATH"] ?? ""].join(":") },
  });
  await northgate.ready(() => getInside({ enter }, metricsPort, "/readyz").startsWith("HTTP/1.1 200"));
  return northgate;
}
