// What a bundle holds of one installation: each part with what it says of itself, and how it is read. The parts that read the cluster
// share one connection and one reading of the world.

import { backendNamed } from "../../backends.ts";
import type { Instance } from "../../bundle/instances.ts";
import { fileName, instancesIn, logsOf, mostInstances, proxiedMetricsOf } from "../../bundle/instances.ts";
import type { Part, PartContent } from "../../bundle/part.ts";
import { contentOf, Skipped } from "../../bundle/part.ts";
import type { BundleConfig } from "../../config/answers/doctor.ts";
import { installed } from "../../dialects.ts";
import { answerOf } from "../../doctor/instance-check.ts";
import { reportOf } from "../../doctor/report.ts";
import { listPolicies } from "../../explain/overview.ts";
import type { KubeApi } from "../../kube/index.ts";
import { askServer, failureOf, listConditions, servingOf } from "../../kube/index.ts";
import { kindText } from "../../model/object.ts";
import { commit, version } from "../../version.ts";
import { examineInstallation } from "../../wiring/doctor.ts";
import { loadWorld } from "../../worlds/world.ts";
import { askedOf, counter } from "../worlds/counted.ts";
import { readExisting } from "../worlds/existing-rows.ts";

export interface Reading {
  readonly config: BundleConfig;
  /** Rejects with an Error of one sentence where there is no API server to ask. */
  readonly api: () => Promise<KubeApi>;
}

/** Of one file, or rejects with why there is none. */
function file(name: string, holds: string, value: () => Promise<object>): Part {
  return { name, holds, read: async () => contentOf({ name, content: await value() }) };
}

export function partsOf(reading: Reading): readonly Part[] {
  const { config, api } = reading;
  const existing = once(async () => {
    if (config.northbound === null) throw new Skipped("--nb names no database");
    return readExisting(config, config.northbound);
  });
  const instances = once(async () => asSentence(async () => instancesIn(await api(), config.namespace)));
  return [
    file("settings.json", "the flags of this command, as it was called", () =>
      Promise.resolve(config.effective),
    ),
    {
      name: "versions.json",
      holds: "versions of Northgate, Node, Kubernetes and the database's schema",
      read: () => versionsOf(reading, async () => (await existing()).owned.schemaVersion),
    },
    file("doctor.json", "the report of northgate doctor", async () =>
      reportOf(await examineInstallation(config), version()),
    ),
    {
      name: "policies.json",
      holds: "every policy as northgate get -o json lists it",
      read: () => policiesOf(reading, existing),
    },
    file(
      "rows.json",
      "the rows of policies that are in the database of --nb, by table",
      async () => (await existing()).owned.tables,
    ),
    { name: "conditions.json", holds: "the conditions of every policy", read: () => conditionsOf(reading) },
    file(
      "instances.json",
      `the Pods of Northgate in ${config.namespace}: node, image, flags, restarts`,
      instances,
    ),
    {
      name: "logs/",
      holds: `what they have logged in the last hour, of ${mostInstances} of them at most`,
      read: async () => logsOf(await api(), await instances()),
    },
    {
      name: "metrics/",
      holds:
        "their metrics as they are now (no history: that is in Prometheus), by --metrics-url or the API server's proxy",
      read: () => metricsOf(reading, instances),
    },
  ];
}

/** The same answer, and the same failure, each time. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null;
  return () => (reading ??= read());
}

async function asSentence<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw failureOf(error) ?? error;
  }
}

async function versionsOf(
  { api }: Reading,
  schemaVersion: () => Promise<string | null>,
): Promise<PartContent> {
  const unread: string[] = [];
  /** null: it is not known. */
  const said = async (what: string, read: () => Promise<string | null>) => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!(error instanceof Skipped)) unread.push(`${what}: ${error.message}`);
      return null;
    }
  };
  const content = {
    northgate: version(),
    commit: commit(),
    node: process.versions.node,
    platform: `${process.platform}/${process.arch}`,
    kubernetes: await said("kubernetes", async () => (await askServer(await api())).version),
    northboundSchema: await said("northboundSchema", schemaVersion),
  };
  return { files: [{ name: "versions.json", content }], unread };
}

async function policiesOf(
  { config, api }: Reading,
  existing: () => ReturnType<typeof readExisting>,
): Promise<PartContent> {
  // Its reason is better than that of a list.
  await api();
  const { kubeconfig, context, families, kinds, zone, backend, backendFlags } = config;
  const mode = { families, kinds, zone, backend, backendFlags };
  const world = await loadWorld({ kind: "kube", kubeconfig, context }, mode);
  const unread = [...world.lines];
  const rows =
    config.northbound === null || !backendNamed(config.backend).live.hasRemotes
      ? null
      : await existing().catch((error: unknown) => {
          if (!(error instanceof Error)) throw error;
          unread.push(`without the rows that exist: ${error.message}`);
          return null;
        });
  const policies = listPolicies(askedOf(world, families), world.judged.membership);
  const content = policies.map(counter(world, backend, rows));
  return { files: [{ name: "policies.json", content }], unread };
}

async function conditionsOf({ config, api: open }: Reading): Promise<PartContent> {
  const api = await open();
  const unread: string[] = [];
  const content: Record<string, object> = {};
  for (const kind of installed(config.kinds).policies)
    try {
      const serving = await servingOf(api, kind);
      if ("as" in serving) content[kindText(kind)] = await listConditions(api, serving.as);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      unread.push(`${kind.resource}: ${failure.message}`);
    }
  return { files: [{ name: "conditions.json", content }], unread };
}

async function metricsOf(
  { config, api }: Reading,
  instances: () => Promise<readonly Instance[]>,
): Promise<PartContent> {
  if (config.instances.length === 0) return proxiedMetricsOf(await api(), await instances());
  const answers = await Promise.all(
    config.instances.map(async (url) => [url, await answerOf(url, "/metrics")] as const),
  );
  const unread = answers.flatMap(([{ host }, answer]) => {
    if (typeof answer === "string") return [`${host}: ${answer}`];
    return answer.status === 200 ? [] : [`${host}: answers ${answer.status}; no token is shown`];
  });
  const files = answers.flatMap(([{ host }, answer], at) =>
    typeof answer === "string" || answer.status !== 200
      ? []
      : [{ name: fileName("metrics", `${at + 1}_${host}.txt`), content: answer.text }],
  );
  return { files, unread };
}
