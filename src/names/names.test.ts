// Names as a run has them, with DNS, rows and a clock of the test's: what a start adopts before anything is written, what is asked, and
// what is said of a policy whose names have no address.

import { expect, test } from "@jest/globals";
import { ip } from "../../test/support/facts.ts";
import { network } from "../../test/support/ir.ts";
import { MemorySource } from "../../test/support/controller.ts";
import { HandClock } from "../../test/support/scripted-api.ts";
import { clusterNetworkPolicyWith } from "../cnp/index.ts";
import { cnp, resolvesNothing } from "../../test/support/policies.ts";
import { silentLogger } from "../lib/logger.ts";
import type { IpAddress } from "../model/ip.ts";
import { hostNameKind, objectKey } from "../model/object.ts";
import { hostNamesLike } from "../model/selectors/host-names.ts";
import type { GroupKey, HostNameGroup, Policy } from "../policy/ir.ts";
import { groupKey } from "../policy/ir.ts";
import { Names } from "./names.ts";
import type { Asked } from "./poll.ts";

function groupOf(pattern: string): HostNameGroup {
  const names = hostNamesLike(pattern);
  if (names === null) throw new Error(pattern);
  return { kind: "hostNames", names };
}

const keyOf = (name: string) => objectKey(hostNameKind, null, name);

function stage(rows: Readonly<Record<string, readonly string[]>>) {
  const clock = new HandClock();
  const asked = new Map<GroupKey, HostNameGroup>();
  const answers = new Map<string, Asked>();
  const errors: unknown[] = [];
  const state = { isReady: true, rowsRead: 0 };
  const names = new Names({
    ...{ source: new MemorySource(), serviceNetworks: [], clusterDomain: "cluster.local", minTtlMs: 0 },
    ...{ clock, logger: silentLogger, fatal: (error: unknown) => errors.push(error) },
    ask: (_, name, family) =>
      Promise.resolve(
        (family === "v4" ? answers.get(name) : undefined) ?? {
          ...{ outcome: "no-data", addresses: [], isReached: true },
        },
      ),
    asked: () => asked,
    held: {
      isReadable: () => state.isReady,
      of: ({ names: { text } }) => {
        state.rowsRead++;
        const found = Object.entries(rows).find(([pattern]) => groupOf(pattern).names.text === text);
        return (found?.[1] ?? []).map((one): IpAddress => ip(one));
      },
    },
  });
  const changed: string[] = [];
  names.source.start({
    changed: (key) => changed.push(key),
    synced: () => undefined,
    problem: () => undefined,
  });
  const want = (...patterns: readonly string[]): void => {
    asked.clear();
    for (const one of patterns.map(groupOf)) asked.set(groupKey(one), one);
  };
  return { names, clock, answers, errors, changed, want, state };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("a start adopts what sets hold before anything is written, once, of patterns too", () => {
  const { names, changed, want, state } = stage({
    "www.test": ["192.0.2.1", "169.254.169.254"],
    "*.wild.test": ["192.0.2.2"],
  });
  want("www.test", "*.wild.test", "new.test");
  state.isReady = false;
  expect([names.look(), changed]).toEqual([false, []]);
  state.isReady = true;
  expect(names.look()).toBe(true);
  expect(changed).toEqual([keyOf("www.test"), keyOf("*.wild.test")]);
  expect(names.source.read(keyOf("www.test"))).toMatchObject({ ips: ["192.0.2.1"] });
  expect(names.source.read(keyOf("*.wild.test"))).toMatchObject({ ips: ["192.0.2.2"] });
  expect(names.look()).toBe(false);
  expect(changed).toHaveLength(2);
});

test("an instance that takes over adopts what the other has written", () => {
  const { names, want, state } = stage({ "www.test": ["192.0.2.1"] });
  want("www.test");
  expect([names.look(), names.look()]).toEqual([true, false]);
  state.isReady = false;
  names.look();
  state.isReady = true;
  expect([names.look(), names.look()]).toEqual([true, false]);
});

test("a pass reads no rows, once they are adopted", () => {
  const { names, want, state } = stage({ "www.test": ["192.0.2.1"] });
  want("www.test", "new.test");
  expect([names.look(), state.rowsRead]).toEqual([true, 2]);
  expect([names.look(), names.look(), state.rowsRead]).toEqual([false, false, 2]);
});

test("where sets hold nothing, nothing waits", () => {
  const { names, want } = stage({});
  expect(names.look()).toBe(false);
  want("www.test");
  expect([names.look(), names.look()]).toEqual([false, false]);
});

function policyOf(...domainNames: readonly string[]): Policy {
  const egress = [{ action: "Accept", to: [{ domainNames }] }];
  const { policy } = clusterNetworkPolicyWith("poll").compile(
    cnp("p", { egress }),
    resolvesNothing,
    () => null,
  );
  if (policy === null) throw new Error("refused");
  return policy;
}

test("networks of Services that come to be known lose what was answered in them", async () => {
  const { names, clock, answers, errors, want } = stage({});
  const addresses = ["10.112.0.7", "192.0.2.1"].map((address) => ({ ip: address, ttl: 300 }));
  answers.set("www.test", { outcome: "answered", addresses, isReached: true });
  want("www.test");
  names.look();
  names.start();
  names.askOf(["192.0.2.53:53"]);
  await settled();
  const held = () => names.answers.fact("www.test")?.ips;
  expect(held()).toEqual(["10.112.0.7", "192.0.2.1"]);
  names.refuseServices([network("10.96.0.0/16"), network("10.112.0.0/16")]);
  clock.elapse(1_000);
  expect([held(), errors]).toEqual([["192.0.2.1"], []]);
  names.stop();
});

test("it says which names of a policy have no address, and why", async () => {
  const { names, answers, errors, want } = stage({});
  const policy = policyOf("www.test", "gone.test", "down.test", "bad.test", "*.wild.test");
  want("www.test", "gone.test", "down.test", "bad.test");
  names.look();
  expect(names.unresolved(policy)).toContain("www.test (no DNS server is known)");
  answers.set("www.test", { outcome: "answered", addresses: [{ ip: "192.0.2.1", ttl: 5 }], isReached: true });
  answers.set("gone.test", { outcome: "no-such-name", addresses: [], isReached: true });
  answers.set("down.test", { outcome: "failed", addresses: [], isReached: false });
  answers.set("bad.test", { outcome: "answered", addresses: [{ ip: "127.0.0.1", ttl: 5 }], isReached: true });
  names.askOf(["192.0.2.53:53"]);
  await settled();
  expect(names.unresolved(policy)).toBe(
    "not resolved yet: gone.test (it has no address), down.test (it has no address), bad.test (its addresses are refused)",
  );
  expect(names.unresolved(policyOf("www.test"))).toBeNull();
  expect(names.counts).toEqual({ asked: 4, unresolved: 3 });
  want();
  names.look();
  expect([names.counts.asked, names.answers.size.names, errors]).toEqual([0, 0, []]);
});
