// One build takes over what the other wrote: the base follows a world into a real Northbound database and ends; then this
// tree's build follows the same world. It must write nothing: no operation, and every row is the one it was.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { Scrape } from "../../e2e/prometheus.ts";
import { eventually } from "../support/eventually.ts";
import { clearRows, makeSwitch } from "../support/ports.ts";
import { environment } from "./build.ts";

export interface Takeover {
  readonly ovn: Ovn;
  /** The entries of the two builds. */
  readonly base: string;
  readonly here: string;
  /** A folder of manifests. */
  readonly source: string;
  /** The names of the logical switch ports of its pods. */
  readonly ports: readonly string[];
  readonly flags: readonly string[];
}

export interface TakenOver {
  readonly rows: number;
  /** What the second build wrote. */
  readonly operations: number;
  readonly altered: readonly string[];
}

export async function takeOver({ ovn, base, here, source, ports, flags }: Takeover): Promise<TakenOver> {
  await clearRows(ovn);
  await makeSwitch(ovn, ports);
  const args = [`--source=dir:${source}`, `--nb=${ovn.nb}`, "--log-format=json", ...flags];
  await followed(base, args);
  const before = await rowsOf(ovn);
  const operations = await followed(here, args);
  const after = await rowsOf(ovn);
  const all = new Set([...before.keys(), ...after.keys()]);
  return {
    ...{ rows: before.size, operations },
    altered: [...all].filter((row) => before.get(row) !== after.get(row)),
  };
}

/** Runs until everything is as the policies say; how many operations that took. */
async function followed(main: string, args: readonly string[]): Promise<number> {
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(process.execPath, [main, "run", ...args, `--metrics-bind-address=${address}`], {
    stdio: ["ignore", "ignore", "pipe"],
    env: environment(),
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      const { ok } = await fetch(`http://${address}/readyz`);
      if (!ok) throw new Error("it is not ready");
    }, 30_000);
    const metrics = new Scrape(await (await fetch(`http://${address}/metrics`)).text());
    return metrics.value("northgate_nb_operations_total") ?? NaN;
  } catch (error) {
    throw new Error(`${main} run ${args.join(" ")}: ${String(error)}\n${log.slice(-2000)}`, { cause: error });
  } finally {
    await ended(child);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port of 127.0.0.1 is free");
  return address.port;
}

/** What each row of the three tables holds, by the row's own identity. */
async function rowsOf(ovn: Ovn): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string>();
  for (const table of ["Port_Group", "Address_Set", "ACL"]) {
    const text = await ovn.nbctl("--format=json", "list", table);
    const { headings, data } = JSON.parse(text) as {
      readonly headings: readonly string[];
      readonly data: readonly (readonly unknown[])[];
    };
    const uuid = headings.indexOf("_uuid");
    for (const row of data) rows.set(`${table} ${JSON.stringify(row[uuid])}`, JSON.stringify(row));
  }
  return rows;
}
