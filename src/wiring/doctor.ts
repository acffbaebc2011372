// All checks of an installation: the API server's, the backend's, and those of instances that can be reached.

import { backendNamed, readingFor } from "../backends.ts";
import type { ExaminedConfig } from "../config/answers/doctor.ts";
import { tlsFiles } from "../config/remotes.ts";
import type { Installed } from "../dialects.ts";
import { installed } from "../dialects.ts";
import { checkCluster, unasked } from "../doctor/cluster-checks.ts";
import type { Finding } from "../doctor/finding.ts";
import { fail, ok, skipped, unknown } from "../doctor/finding.ts";
import { checkInstance } from "../doctor/instance-check.ts";
import type { KubeApi } from "../kube/index.ts";
import { HttpApi, listWorld, openKubeconfig } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import type { WorldObject } from "../model/object.ts";
import { isNode, isPod } from "../model/object.ts";
import { zoneFault } from "../status/in-force.ts";
import { version } from "../version.ts";

/** Milliseconds: an administrator waits for the answer. */
const timeouts = { credentialsMs: 15_000, connectMs: 5_000, answerMs: 15_000, idleMs: 10_000 };

/** The pods and nodes of the cluster, read at each call. Rejects with an Error of one sentence. */
type Facts = () => Promise<readonly WorldObject[]>;

export async function examineInstallation(config: ExaminedConfig): Promise<readonly Finding[]> {
  const kinds = installed(config.kinds);
  const instances = await instanceFindings(config);
  const opened = await openApi(config);
  if ("fault" in opened) {
    const none = "there is no API server to ask";
    const nobody = () => Promise.reject(new Error(none));
    return [
      ...[opened.fault, ...unasked(none), ...skipped(["zone"], none)],
      ...[...(await backendFindings(config, kinds, nobody)), ...instances],
    ];
  }
  const { api, server } = opened;
  try {
    const cluster = await checkCluster({ ...config, api, server, kinds, timeMs: () => Date.now() });
    const facts = () => factsOf(api, config);
    return [
      ...cluster.findings,
      ...(cluster.answers
        ? await zoneFindings(config, facts)
        : skipped(["zone"], "the API server does not answer")),
      ...(await backendFindings(config, kinds, facts)),
      ...instances,
    ];
  } finally {
    api.close();
  }
}

async function instanceFindings({ instances }: ExaminedConfig): Promise<readonly Finding[]> {
  if (instances.length === 0) return skipped(["probes", "metrics"], "--metrics-url names no instance");
  return (await Promise.all(instances.map((url) => checkInstance(url, version())))).flat();
}

export async function openApi({
  kubeconfig,
  context,
}: ExaminedConfig): Promise<
  { readonly api: KubeApi; readonly server: string } | { readonly fault: Finding }
> {
  try {
    const credentials = await openKubeconfig({ path: kubeconfig, context });
    const { server } = credentials;
    return { api: new HttpApi({ credentials, clock: systemClock, timeouts }), server };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return {
      fault: fail("api-server", error.message, "name a kubeconfig: --kubeconfig FILE, or $KUBECONFIG"),
    };
  }
}

async function factsOf(api: KubeApi, config: ExaminedConfig): Promise<readonly WorldObject[]> {
  const nothingMore = { policies: [], references: [], optional: [] };
  return (await listWorld(api, { ...nothingMore, ...readingFor(config) })).objects;
}

async function zoneFindings({ zone }: ExaminedConfig, facts: Facts): Promise<readonly Finding[]> {
  if (zone === null) return skipped(["zone"], "no --zone: rows are for every node");
  try {
    const nodes = new Set((await facts()).filter(isNode).map(({ name }) => name));
    const fault = zoneFault(zone, { hasNode: (name) => nodes.has(name) }, { unenforced: () => null });
    return [
      fault === null
        ? ok("zone", `there is a Node ${zone}`)
        : fail("zone", fault.message, "correct --zone: it is the name of a Node"),
    ];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [unknown("zone", `the Nodes cannot be listed: ${error.message}`, "let the user list nodes")];
  }
}

function backendFindings(
  config: ExaminedConfig,
  { dialects, owners, tierLayout }: Installed,
  facts: Facts,
): Promise<readonly Finding[]> {
  const { northbound, zone, families, kinds: kindFlags, backendFlags } = config;
  const tls = northbound?.tls ?? null;
  return backendNamed(config.backend).live.examine({
    settings: {
      ...{ remotes: northbound?.nb ?? "", tls: tls && tlsFiles(tls) },
      ...{ zone, families, kindFlags, backendFlags, tierLayout },
    },
    ...{ dialects, owners, clock: systemClock },
    pods: async () => (await facts()).filter(isPod),
  });
}
