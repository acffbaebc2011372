// Two replicas of `northgate run` on thousands of policies, one of which is edited all the time. Judges who writes: the writer
// must never change, since nothing happens to it but work; and every edit is written. Times are measured and not judged.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PodFact } from "../../src/model/facts.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { portName } from "../../src/nbdb/rows/names.ts";
import { claimIn, placeOf } from "../../src/nbdb/write/claim.ts";
import type { Operation } from "../../src/ovsdb/index.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { everyDialect } from "../../src/dialects.ts";
import { type Workload, workloadOf } from "../../bench/workloads/catalogue.ts";
import { worldOf, type World } from "../../bench/workloads/world.ts";
import type { KubernetesObject } from "../../test/kube/api.ts";
import { namespace, node, pod } from "../../test/kube/objects.ts";
import { np } from "../../test/support/policies.ts";
import { openNorthbound } from "../../test/support/controller.ts";
import { Program, until } from "./program.ts";

export interface ReplicasOptions {
  /** Of the kinds and shares of workload P. */
  readonly policies: number;
  readonly durationMs: number;
  readonly editEveryMs: number;
  /** How long anything may take before the run fails. */
  readonly patienceMs: number;
}

export interface ReplicasResult {
  /** Where the processes run that held the claim, in the order in which they came to it; it should be one. */
  readonly writers: readonly string[];
  readonly edits: number;
  /** From the edit of a file until the row was seen, in milliseconds. */
  readonly slowestEditMs: number;
  /** From the start of both until one had written all rows. */
  readonly startMs: number;
  /** Lines of their logs at level error. */
  readonly complaints: readonly string[];
  readonly exitCodes: readonly (number | null)[];
}

const firstPort = 20_000;

/** P's cluster with fewer pods: what is counted are policies. */
function workloadWith(policies: number): Workload {
  const all = workloadOf("P");
  if (all === null) throw new Error("there is no P");
  return { ...all, policies, podsPerNamespace: 4, podCount: all.namespaces * 4, nodes: 50 };
}

const edited = (edition: number): PolicyObject =>
  np(
    "edited",
    { podSelector: {}, ingress: [{ ports: [{ protocol: "TCP", port: firstPort + edition }] }] },
    "ns-0",
  );

export async function replicas(
  options: ReplicasOptions,
  tell: (line: string) => void,
): Promise<ReplicasResult> {
  const ovn = await startOvn({ northd: false });
  const session = openNorthbound(ovn.nb, {}, { installed: everyDialect.dialects });
  const programs: Program[] = [];
  try {
    const world = worldOf(workloadWith(options.policies));
    const folder = join(ovn.dir, "manifests");
    mkdirSync(folder);
    write(ovn, "world", manifestsOf(world));
    write(ovn, "edited", [manifestOf(edited(0))]);
    await session.opened();
    await session.transact(topology(world.pods));
    const writers: string[] = [];
    const seen = new Set<string>();
    session.subscribe({
      changed: (changes) => {
        const claim = claimIn(session.cache);
        const writer = claim === null ? null : placeOf(claim);
        if (writer !== null && writer !== writers.at(-1)) writers.push(writer);
        for (const { table, after } of changes)
          if (table === "ACL" && after !== null && "match" in after) note(after.match, seen);
      },
    });
    const begun = performance.now();
    for (const name of ["a", "b"]) programs.push(start(ovn, folder, name));
    const hasWritten = async (): Promise<boolean> => {
      const ready = await Promise.all(programs.map((program) => program.isReady()));
      return ready.every(Boolean) && seen.has(String(firstPort));
    };
    await until("one has written and the other stands by", options.patienceMs, hasWritten);
    const startMs = performance.now() - begun;
    tell(`${world.policies.length} policies are written after ${(startMs / 1000).toFixed(1)} s`);
    const { edits, slowestEditMs } = await edit(ovn, seen, options);
    const sofar = [...writers];
    const complaints = programs.flatMap((program) => program.complaints());
    const exitCodes: (number | null)[] = [];
    for (const program of programs.splice(0).reverse()) exitCodes.push(await program.end("SIGTERM"));
    return { writers: sofar, edits, slowestEditMs, startMs, complaints, exitCodes };
  } finally {
    for (const program of programs) await program.end("SIGKILL");
    await session.close();
    await ovn.stop();
  }
}

async function edit(
  ovn: Ovn,
  seen: ReadonlySet<string>,
  { durationMs, editEveryMs, patienceMs }: ReplicasOptions,
): Promise<Pick<ReplicasResult, "edits" | "slowestEditMs">> {
  const begun = performance.now();
  let slowestEditMs = 0;
  let edits = 0;
  while (performance.now() - begun < durationMs) {
    await sleep(editEveryMs);
    const at = performance.now();
    const edition = ++edits % 10_000;
    write(ovn, "edited", [manifestOf(edited(edition))]);
    await until(`edit ${edits} is written`, patienceMs, () =>
      Promise.resolve(seen.has(String(firstPort + edition))),
    );
    slowestEditMs = Math.max(slowestEditMs, performance.now() - at);
  }
  return { edits, slowestEditMs };
}

function start(ovn: Ovn, folder: string, name: string): Program {
  const kinds = ["--enable-network-policy=true", "--anp-priorities=all"];
  return new Program([`--source=dir:${folder}`, `--nb=${ovn.nb}`, ...kinds], ovn.dir, name);
}

/** Ports of the edited policy that a match tells of. */
function note(match: string, seen: Set<string>): void {
  const port = /tcp\.dst ?== ?(2\d{4})/.exec(match)?.[1];
  if (port !== undefined) seen.add(port);
}

function write({ dir }: Ovn, name: string, items: readonly KubernetesObject[]): void {
  const draft = join(dir, "draft.json");
  writeFileSync(draft, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  renameSync(draft, join(dir, "manifests", `${name}.json`));
}

function topology(pods: readonly PodFact[]): readonly Operation[] {
  const inserts = pods.map((one, at): Operation => ({
    ...{ op: "insert", table: "Logical_Switch_Port", uuidName: `port${at}` },
    row: { name: portName(one.namespace, one.name) },
  }));
  const row = { name: "soak", ports: pods.map((_, at) => ({ named: `port${at}` })) };
  return [...inserts, { op: "insert", table: "Logical_Switch", row }];
}

function manifestsOf({ nodes, namespaces, pods, policies }: World): readonly KubernetesObject[] {
  return [
    ...nodes.map(({ name, labels }, at) =>
      node(name, { labels: Object.fromEntries(labels), ips: [`172.20.0.${at + 1}`] }),
    ),
    ...namespaces.map(({ name, labels }) => namespace(name, Object.fromEntries(labels))),
    ...pods.map((one) =>
      pod(one.namespace, one.name, {
        ...{ labels: Object.fromEntries(one.labels), ips: one.ips },
        ...(one.node === null ? {} : { node: one.node }),
      }),
    ),
    ...policies.map(manifestOf),
  ];
}

function manifestOf({ apiVersion, kind, namespace: place, name, spec }: PolicyObject): KubernetesObject {
  const metadata = place === null ? { name } : { name, namespace: place };
  return { apiVersion, kind, metadata, spec };
}
