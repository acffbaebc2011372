// What a suite has tried, as the API server's audit log has it, and which of its denied tries samples have reported.

import { expect, test } from "@jest/globals";
import { keyOf } from "../../../src/model/object.ts";
import type { SeenEvent } from "../../../src/observe/decode/event.ts";
import { facts, pods } from "../../../test/proof/teams.ts";
import { ip } from "../../../test/support/facts.ts";
import { np } from "../../../test/support/policies.ts";
import { readProbed, seenProbes } from "./probes.ts";

const begun = Date.UTC(2026, 10, 29, 1);
const { redA, blueB } = pods;

const exec = (target: string, seconds: number, protocol = "tcp") => {
  const words = ["/agnhost", "connect", target, "--timeout=1s", `--protocol=${protocol}`];
  const query = words.map((word) => `command=${encodeURIComponent(word)}`).join("&");
  return {
    requestURI: `/api/v1/namespaces/red/pods/a/exec?${query}&container=c`,
    stage: "ResponseComplete",
    requestReceivedTimestamp: new Date(begun + seconds * 1000).toISOString(),
    stageTimestamp: new Date(begun + seconds * 1000 + 1_100).toISOString(),
    objectRef: { resource: "pods", namespace: "red", name: "a", subresource: "exec" },
  };
};
const service = {
  ...{ requestURI: "/api/v1/namespaces/blue/services", stage: "ResponseComplete" },
  ...{ requestReceivedTimestamp: "2026-11-29T01:00:00Z", stageTimestamp: "2026-11-29T01:00:00Z" },
  objectRef: { resource: "services", namespace: "blue" },
  responseObject: { spec: { clusterIPs: ["10.96.0.7"], selector: { app: "b" } } },
};
const other = { ...exec("10.0.2.17:80", 1), requestURI: "/api/v1/namespaces/red/pods/a/exec?command=ls" };
const log = (...lines: readonly object[]) =>
  readProbed(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

const isolating = np("web", { podSelector: {}, policyTypes: ["Ingress"] }, "blue");
const changes = [...facts, isolating].map((object) => ({ atMs: begun, key: keyOf(object), object }));
const dropped = (seconds: number, more: Partial<SeenEvent> = {}): SeenEvent => ({
  ...{ time: new Date(begun + seconds * 1000).toISOString(), verdict: "dropped", connection: "new" },
  from: { ip: ip("10.0.1.16"), pod: { namespace: redA.namespace, name: redA.name } },
  to: { ip: ip("10.0.2.17"), pod: { namespace: blueB.namespace, name: blueB.name } },
  ...{ protocol: "tcp", sourcePort: 40_000, port: 80, icmp: null, isReply: false, rule: null, number: 1 },
  ...more,
});

test("tries of every protocol and family are read, and other commands are not; a try that is not understood is refused", () => {
  const { probes, services } = log(
    exec("10.0.2.17:80", 1),
    other,
    service,
    exec("[fd00:0:0:2::17]:53", 2, "udp"),
  );
  expect(probes).toEqual([
    {
      ...{ beganMs: begun + 1_000, endedMs: begun + 2_100, namespace: "red", pod: "a" },
      ...{ ip: "10.0.2.17", port: 80, protocol: "tcp" },
    },
    expect.objectContaining({ ip: ip("fd00:0:0:2::17"), port: 53, protocol: "udp" }),
  ]);
  expect(services).toEqual([{ namespace: "blue", ips: ["10.96.0.7"], selector: { app: "b" } }]);
  expect(() => log(exec("server.blue:80", 1))).toThrow(
    "a try that is not understood: /agnhost connect server.blue:80 --timeout=1s --protocol=tcp",
  );
});

test("a denied try is seen by a drop of its time, ends, protocol and port; an allowed one is not asked for", () => {
  const probed = log(
    exec("10.0.2.17:80", 60),
    exec("10.0.2.16:80", 60),
    service,
    exec("10.96.0.7:80", 90),
    exec("10.0.2.17:80", 120),
  );
  const unseen = "2026-11-29T01:02:00.000Z 1.1 s red/a → 10.0.2.17 tcp 80";
  expect(seenProbes(probed, [dropped(60), dropped(91)], changes)).toEqual({
    ...{ probes: 4, denied: 3, seen: 2, unseen: [unseen] },
  });
  for (const more of [{ port: 81 }, { protocol: "udp" as const }, { to: dropped(60).from }])
    expect(seenProbes(probed, [dropped(60, more), dropped(58)], changes)).toMatchObject({
      ...{ denied: 3, seen: 0 },
    });
});

test("a try while the policies change may end either way", () => {
  const later = changes.map((change) =>
    change.object === isolating ? { ...change, atMs: begun + 59_000 } : change,
  );
  const { denied } = seenProbes(log(exec("10.0.2.17:80", 60), exec("10.0.2.17:80", 70)), [], later);
  expect(denied).toBe(1);
});
