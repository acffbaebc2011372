// What happens in the five minutes of `make pictures`: pods come and go, policies are written, broken and mended, somebody
// edits rows, the database goes away.

import { setTimeout as sleep } from "node:timers/promises";
import { parseAllDocuments, stringify } from "yaml";
import { portName } from "../../src/nbdb/rows/names.ts";
import type { Scene } from "../../test/metrics/scene.ts";

export interface Event {
  /** Seconds since the start, in rising order. */
  readonly at: number;
  readonly text: string;
  readonly happen: (scene: Scene) => Promise<void> | void;
}

const pods = "cluster/pods.yaml";
const policy = "policies/cluster-control.yaml";
const more = "policies/more.yaml";
const crowd = 40;

/** Pods like the first one of the sample, with addresses of their own. */
function crowdOf(sample: string, count: number): string {
  const [first] = parseAllDocuments(sample);
  const pod = first?.toJS() as {
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly status: Readonly<Record<string, unknown>>;
  };
  return Array.from({ length: count }, (_, at) => {
    const ip = `10.244.9.${at + 1}`;
    const metadata = { ...pod.metadata, name: `crowd-${at}` };
    return stringify({ ...pod, metadata, status: { ...pod.status, podIP: ip, podIPs: [{ ip }] } });
  }).join("---\n");
}

const allow = (name: string, priority: number): string =>
  stringify({
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy", metadata: { name } },
    spec: {
      priority,
      subject: { namespaces: {} },
      ingress: [{ action: "Allow", from: [{ namespaces: { matchLabels: { team: name } } }] }],
    },
  });

async function edit(scene: Scene, times: number): Promise<void> {
  const rows = await scene.ovn.nbctl(
    "--bare",
    "--columns=_uuid",
    "find",
    "ACL",
    "external_ids:k8s.ovn.org/name=default",
  );
  for (let round = 0; round < times; round++) {
    await scene.ovn.nbctl("set", "ACL", rows.split("\n")[0] ?? "", "priority=7");
    await sleep(1_500);
  }
}

export const events: readonly Event[] = [
  {
    at: 20,
    text: `${crowd} pods come, one a second`,
    happen: async (scene) => {
      const namespace = String(parseAllDocuments(scene.read(pods))[0]?.getIn(["metadata", "namespace"]));
      for (let count = 1; count <= crowd; count++) {
        await scene.ovn.nbctl("lsp-add", "sw", portName(namespace, `crowd-${count - 1}`));
        scene.write("cluster/crowd.yaml", crowdOf(scene.read(pods), count));
        await sleep(900);
      }
    },
  },
  {
    at: 80,
    text: "three policies are written",
    happen: (scene) => {
      scene.write(more, ["blue", "green", "red"].map((name, at) => allow(name, 50 + at)).join("---\n"));
    },
  },
  {
    at: 110,
    text: "somebody edits a row, four times: the baseline is fought over",
    happen: (scene) => edit(scene, 4),
  },
  {
    at: 150,
    text: "a policy is edited, with a mistake",
    happen: (scene) => {
      scene.write(policy, scene.read(policy).replace('"Deny"', '"Denny"'));
    },
  },
  {
    at: 185,
    text: "it is mended",
    happen: (scene) => {
      scene.write(policy, scene.read(policy).replace('"Denny"', '"Deny"'));
    },
  },
  {
    at: 205,
    text: "the database is stopped",
    happen: async (scene) => {
      await scene.ovn.killNb("SIGTERM");
      // Meanwhile the policies are edited, and the edit waits.
      await sleep(5_000);
      scene.remove(more);
    },
  },
  {
    at: 228,
    text: "the database is back",
    happen: (scene) => scene.ovn.restartNb(),
  },
  {
    at: 255,
    text: `the ${crowd} pods go`,
    happen: (scene) => {
      scene.remove("cluster/crowd.yaml");
    },
  },
];
