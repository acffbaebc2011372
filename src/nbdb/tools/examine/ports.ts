// Whether the pods of the zone have logical switch ports: without one, no ACL acts on a pod. A pod gets its address when its port is
// made, so one that has an address must have a port.

import type { Examination } from "../../../backend-kind.ts";
import type { Finding } from "../../../doctor/finding.ts";
import { fail, ok, unknown } from "../../../doctor/finding.ts";
import { counted } from "../../../lib/counted.ts";
import { pause } from "../../../lib/deadline.ts";
import { excerptOf } from "../../../lib/text/few.ts";
import type { PodKey } from "../../../model/facts.ts";
import { podKey } from "../../../model/facts.ts";
import { printable } from "../../../model/quote.ts";
import type { Session } from "../../../ovsdb/index.ts";
import { portOfPod } from "../../rows/names.ts";
import type { Northbound } from "../../rows/schema.ts";

const check = "ports";

/** Milliseconds after which pods are looked at again: those that end or begin meanwhile are no fault. */
const againMs = 3_000;

/** Pods that a finding names. */
const named = 3;

type Asked = Pick<Examination, "pods" | "clock" | "settings">;

export async function checkPorts(session: Session<Northbound>, asked: Asked): Promise<Finding> {
  try {
    const pods = await expected(asked);
    const before = withoutPort(session, pods);
    if (before.length === 0)
      return ok(check, `${counted(pods.length, "pod")} on the pod network, each with a logical switch port`);
    await pause(asked.clock, againMs, new AbortController().signal);
    const now = new Set(withoutPort(session, await expected(asked)));
    const missing = before.filter((pod) => now.has(pod)).map((pod) => printable(pod));
    if (missing.length === 0)
      return ok(
        check,
        `${counted(pods.length, "pod")} on the pod network, some of them just started or ended`,
      );
    return fail(
      check,
      `${missing.length} of ${counted(pods.length, "pod")} have no logical switch port: ` +
        excerptOf(missing.length, missing.slice(0, named)),
      "see whether the network plugin writes to this database, and whether --zone is right: no rule acts on these pods",
    );
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return unknown(
      check,
      `the pods cannot be listed: ${error.message}`,
      "let the user list pods, namespaces and nodes",
    );
  }
}

async function expected({ pods, settings: { zone } }: Asked): Promise<readonly PodKey[]> {
  const all = await pods();
  const here = all.filter(
    ({ hostNetwork, completed, ips, node }) =>
      !hostNetwork && !completed && ips.length > 0 && (zone === null || node === zone),
  );
  return here.map(({ namespace, name }) => podKey(namespace, name));
}

function withoutPort({ cache }: Session<Northbound>, pods: readonly PodKey[]): readonly PodKey[] {
  const ports = cache.table("Logical_Switch_Port");
  return pods.filter((pod) => ports.findOne("name", portOfPod(pod)) === undefined);
}
