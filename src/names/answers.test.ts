// Which addresses a name has at which moment, by what was answered, by whom and when; which are never taken; and what the bounds do.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { HandClock } from "../../test/support/scripted-api.ts";
import { hostName, ip, node, pod } from "../../test/support/facts.ts";
import type { HostNameFact } from "../model/facts.ts";
import { FactStore } from "../model/fact-store.ts";
import type { Fact } from "../model/object.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import { parseCidr } from "../model/ip.ts";
import { hostNamesLike } from "../model/selectors/host-names.ts";
import { silentLogger } from "../lib/logger.ts";
import type { Limits } from "./answers.ts";
import { Answers } from "./answers.ts";
import { Noted } from "./noted.ts";
import type { Outcome } from "./answer-sink.ts";
import { Refusals } from "./refused.ts";

const name = "www.example.org";
const hour = 3_600_000;

function networks(...texts: readonly string[]): readonly Cidr[] {
  return texts.flatMap((text) => parseCidr(text) ?? []);
}

function stage({ limits, facts = [] }: { readonly limits?: Limits; readonly facts?: readonly Fact[] } = {}) {
  const clock = new HandClock();
  const serviceNetworks = networks("10.96.0.0/12", "fd10::/112");
  const refusals = new Refusals({ serviceNetworks, clusterDomain: "cluster.local" });
  const store = new FactStore();
  const observe = (fact: Fact): void => {
    const change = store.put(fact);
    if (change !== null) refusals.follow(change);
  };
  for (const fact of facts) observe(fact);
  const noted = new Noted(clock, silentLogger);
  const changes: string[] = [];
  const answers = new Answers({
    ...{ clock, minTtlMs: 0, refusals, noted, ...(limits === undefined ? {} : { limits }) },
    changed: (one) => changes.push(one),
  });
  const selectors = [hostNamesLike("*.wild.test")].filter((one) => one !== null);
  answers.want(new Set([name, "api.example.org"]), selectors);
  const learn = (
    ips: readonly string[],
    {
      of = name,
      ttl = 30,
      outcome,
      family = "v4",
      source = "a",
    }: {
      readonly of?: string;
      readonly ttl?: number;
      readonly outcome?: Outcome;
      readonly family?: IpFamily;
      readonly source?: string;
    } = {},
  ): void => {
    answers.learn({
      ...{ name: of, family, source, at: clock.now(), addresses: ips.map((text) => ({ ip: text, ttl })) },
      outcome: outcome ?? (ips.length > 0 ? "answered" : "no-data"),
    });
  };
  const pass = (ms: number): void => {
    clock.elapse(ms);
    answers.tick();
  };
  const ips = (of = name) => answers.fact(of)?.ips ?? null;
  return { answers, clock, noted, changes, learn, pass, ips, observe };
}

describe("deadlines", () => {
  test("an address counts for its TTL and five seconds, and for the later of two answers", () => {
    const { learn, pass, ips, changes } = stage();
    expect(ips()).toBeNull();
    learn(["192.0.2.1", "192.0.2.2"], { of: "WWW.Example.ORG." });
    expect(ips()).toEqual(["192.0.2.1", "192.0.2.2"]);
    pass(20_000);
    learn(["192.0.2.2"], { ttl: 30 });
    learn(["192.0.2.2"], { ttl: 1 });
    pass(14_999);
    expect(ips()).toEqual(["192.0.2.1", "192.0.2.2"]);
    pass(1);
    expect(ips()).toEqual(["192.0.2.2"]);
    pass(20_000);
    expect(ips()).toEqual([]);
    expect(changes).toEqual([name, name, name]);
  });

  test("addresses of both families stand side by side", () => {
    const { learn, ips } = stage();
    learn(["192.0.2.1"]);
    learn(["2001:DB8::0:1"], { family: "v6" });
    expect(ips()).toEqual(["192.0.2.1", "2001:db8::1"]);
  });

  test("the answer that there is no address takes none away, and is an answer", () => {
    const { answers, learn, pass, ips } = stage();
    learn([], { outcome: "no-such-name" });
    expect(ips()).toEqual([]);
    expect(answers.state(name)).toEqual({ name, wasResolved: false, outcome: "no-such-name" });
    learn(["192.0.2.1"]);
    learn([], { outcome: "no-such-name" });
    learn([], { outcome: "no-data" });
    expect(ips()).toEqual(["192.0.2.1"]);
    pass(35_000);
    expect(ips()).toEqual([]);
    expect(answers.state(name).wasResolved).toBe(true);
  });

  test("failures keep what was known, for one hour after it was due at the most", () => {
    const { learn, pass, ips, clock } = stage();
    learn(["192.0.2.1"], { ttl: 5 });
    const due = clock.now() + 10_000;
    while (clock.now() < due + hour - 20_000) {
      pass(9_000);
      learn([], { outcome: "failed" });
      expect(ips()).toEqual(["192.0.2.1"]);
    }
    pass(due + hour - clock.now());
    learn([], { outcome: "failed" });
    expect(ips()).toEqual([]);
  });

  test("a failure keeps nothing while another source answers", () => {
    const { learn, pass, ips } = stage();
    learn(["192.0.2.1"], { ttl: 5, source: "a" });
    pass(5_000);
    learn(["192.0.2.2"], { ttl: 30, source: "b" });
    learn([], { outcome: "failed", source: "a" });
    pass(5_000);
    expect(ips()).toEqual(["192.0.2.2"]);
  });

  test("a failure for one family keeps that family alone", () => {
    const { learn, pass, ips } = stage();
    learn(["192.0.2.1"], { ttl: 5 });
    learn(["2001:db8::1"], { ttl: 5, family: "v6" });
    pass(9_000);
    learn([], { outcome: "failed", family: "v6" });
    pass(1_000);
    expect(ips()).toEqual(["2001:db8::1"]);
  });

  test("a name that was only asked for in vain has no fact", () => {
    const { answers, learn, ips } = stage();
    learn([], { outcome: "failed" });
    expect(ips()).toBeNull();
    expect(answers.state(name).outcome).toBe("failed");
  });

  test("what sets hold at a start counts for two minutes, or as it is answered again", () => {
    const { answers, learn, pass, ips } = stage();
    answers.hold(name, ["192.0.2.1", "192.0.2.2"].map(ip));
    answers.hold("held.wild.test", ["192.0.2.3"].map(ip));
    expect([ips(), ips("held.wild.test")]).toEqual([["192.0.2.1", "192.0.2.2"], ["192.0.2.3"]]);
    pass(110_000);
    learn(["192.0.2.2"], { ttl: 30 });
    pass(10_000);
    expect([ips(), ips("held.wild.test")]).toEqual([["192.0.2.2"], null]);
  });
});

describe("names", () => {
  test("only those that policies ask for are kept, and forgotten with the policy", () => {
    const { answers, learn, ips, changes } = stage();
    learn(["192.0.2.1"], { of: "other.example.org" });
    learn(["192.0.2.1"], { of: "a.wild.test" });
    learn(["192.0.2.1"], { of: "wild.test" });
    learn([], { of: "b.wild.test" });
    learn(["192.0.2.1"], { of: "a b.wild.test" });
    expect(answers.size).toEqual({ names: 1, addresses: 1, below: 1 });
    answers.want(new Set(), []);
    expect([ips("a.wild.test"), answers.size, changes]).toEqual([
      ...[null, { names: 0, addresses: 0, below: 0 }],
      ["a.wild.test", "a.wild.test"],
    ]);
  });
});

describe("addresses that are never taken", () => {
  const facts = [node("n1", {}, ["192.0.2.10"]), pod("shop", "web", { ips: ["10.0.0.7"] })];
  test.each([
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["127.0.0.1", "loopback"],
    ["169.254.169.254", "link-local"],
    ["224.0.0.1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["10.96.0.1", "service"],
    ["192.0.2.10", "node"],
    ["10.0.0.7", "pod"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["fe80::1", "link-local"],
    ["ff02::1", "multicast"],
    ["fd10::1", "service"],
    ["::ffff:10.96.0.1", "embedded"],
    ["::ffff:a60:1", "embedded"],
    ["0:0:0:0:0:ffff:0a60:0001", "embedded"],
    ["::10.96.0.1", "embedded"],
    ["64:ff9b::a60:1", "embedded"],
    ["192.0.2.undefined", "not an address"],
    ["192.0.2", "not an address"],
    ["192.0.2.010", "not an address"],
    ["fe80::1%eth0", "not an address"],
    ["", "not an address"],
    ["www.example.org", "not an address"],
  ] as const)("%s: %s", (text, reason) => {
    const { learn, ips, noted } = stage({ facts });
    learn([text, "192.0.2.1"]);
    expect(ips()).toEqual(["192.0.2.1"]);
    expect(noted.refusals(reason)).toBe(1);
  });

  test("private networks are taken, and pods by names of the cluster's domain alone", () => {
    const { answers, learn, ips } = stage({ facts });
    const own = "web.shop.svc.cluster.local";
    answers.want(new Set([name, own, "cluster.local.example.org"]), []);
    learn(["10.1.2.3", "192.168.1.1"]);
    learn(["10.0.0.7", "10.96.0.1", "192.0.2.10"], { of: own });
    learn(["10.0.0.7"], { of: "cluster.local.example.org" });
    expect([ips(), ips(own)]).toEqual([["10.1.2.3", "192.168.1.1"], ["10.0.0.7"]]);
    expect(ips("cluster.local.example.org")).toEqual([]);
  });

  test("one that a pod, a node or a network of pods has later is removed", () => {
    const { learn, pass, ips, observe } = stage();
    learn(["10.0.0.7", "192.0.2.10", "10.1.0.9", "192.0.2.1"], { ttl: 600 });
    observe(pod("shop", "web", { ips: ["10.0.0.7"] }));
    observe({ ...node("n1", {}, ["192.0.2.10"]), podNetworks: networks("10.1.0.0/24") });
    pass(1_000);
    expect(ips()).toEqual(["192.0.2.1"]);
  });

  test("at a start too", () => {
    const { answers, ips } = stage({ facts });
    answers.hold(name, ["192.0.2.10", "169.254.169.254", "192.0.2.1"].map(ip));
    expect(ips()).toEqual(["192.0.2.1"]);
  });
});

describe("bounds", () => {
  const limits = { addressesOfName: 3, namesOfPattern: 4, addresses: 6 };

  test("of a name: the address that ends first is left out", () => {
    const { learn, ips, noted } = stage({ limits });
    learn(["192.0.2.1"], { ttl: 10 });
    learn(["192.0.2.2", "192.0.2.3", "192.0.2.4"], { ttl: 20 });
    expect(ips()).toEqual(["192.0.2.2", "192.0.2.3", "192.0.2.4"]);
    expect(noted.limits("addresses of a name")).toBe(1);
  });

  test("of all: the least recently answered name is emptied", () => {
    const { answers, learn, ips, noted } = stage({ limits });
    learn(["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
    learn(["192.0.2.4", "192.0.2.5", "192.0.2.6"], { of: "api.example.org" });
    learn(["192.0.2.1"]);
    learn(["192.0.2.7"], { of: "a.wild.test" });
    expect([ips(), ips("api.example.org"), ips("a.wild.test")]).toEqual([
      ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
      [],
      ["192.0.2.7"],
    ]);
    expect([answers.size.addresses, noted.limits("addresses")]).toEqual([4, 1]);
  });

  test("of a pattern: 100,000 names below it are no more than the bound", () => {
    const { answers, learn, ips, noted } = stage({ limits: { ...limits, addresses: 100 } });
    learn(["192.0.2.200"]);
    for (let at = 0; at < 100_000; at++) learn([`198.51.100.${at % 250}`], { of: `n${at}.wild.test` });
    expect(answers.size).toEqual({ names: 5, addresses: 5, below: 4 });
    expect([ips("n99999.wild.test"), ips(), noted.limits("names of a pattern")]).toEqual([
      ["198.51.100.249"],
      ["192.0.2.200"],
      99_996,
    ]);
  });
});

describe("the limit of a pattern", () => {
  const limits = { addressesOfName: 3, namesOfPattern: 2, addresses: 100 };
  const patternsOf = (...texts: readonly string[]) => texts.map(hostNamesLike).filter((one) => one !== null);

  test("the least recently answered name gives way", () => {
    const { learn, ips } = stage({ limits });
    for (const one of ["1.wild.test", "2.wild.test", "1.wild.test", "3.wild.test"])
      learn(["192.0.2.1"], { of: one });
    expect(["1", "2", "3"].map((one) => ips(`${one}.wild.test`))).toEqual([
      ["192.0.2.1"],
      null,
      ["192.0.2.1"],
    ]);
  });

  test("a name that a policy names itself does not, and needs no room", () => {
    const { answers, learn, ips } = stage({ limits });
    answers.want(new Set(["0.wild.test"]), patternsOf("*.wild.test"));
    for (const at of [0, 1, 2, 3]) learn(["192.0.2.1"], { of: `${at}.wild.test` });
    expect([0, 1, 2, 3].map((at) => ips(`${at}.wild.test`) !== null)).toEqual([true, false, true, true]);
    expect(answers.size).toEqual({ names: 3, addresses: 3, below: 2 });
  });

  test("names of a pattern that is removed are forgotten, but those of another one", () => {
    const { answers, learn, ips } = stage({ limits });
    answers.want(new Set(), patternsOf("*.wild.test", "1*"));
    for (const one of ["1.wild.test", "2.wild.test"]) learn(["192.0.2.1"], { of: one });
    answers.want(new Set(), patternsOf("1*"));
    expect([ips("1.wild.test"), ips("2.wild.test")]).toEqual([["192.0.2.1"], null]);
    // The one that stays is counted below the other pattern.
    for (const one of ["1.a.test", "1.b.test"]) learn(["192.0.2.1"], { of: one });
    expect([ips("1.wild.test"), answers.size.below]).toEqual([null, 2]);
  });

  test("what sets held of a pattern are the addresses of many names", () => {
    const { answers, ips } = stage({ limits });
    const many = Array.from({ length: 50 }, (_, at) => `198.51.100.${at + 100}`);
    answers.hold("*.wild.test", many.map(ip));
    expect(ips("*.wild.test")).toEqual(many);
  });
});

test("after any walk the facts are the addresses whose time is not over, and the counts are right", () => {
  const step = fc.record({
    of: fc.constantFrom(name, "api.example.org", "a.wild.test"),
    last: fc.integer({ min: 1, max: 4 }),
    ttl: fc.integer({ min: 0, max: 20 }),
    wait: fc.constantFrom(0, 1_000, 7_000),
  });
  let expired = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { answers, learn, pass, ips, clock } = stage();
      const until = new Map<string, number>();
      for (const { of, last, ttl, wait } of steps) {
        learn([`192.0.2.${last}`], { of, ttl });
        const key = `${of} 192.0.2.${last}`;
        until.set(key, Math.max(until.get(key) ?? 0, clock.now() + ttl * 1_000 + 5_000));
        pass(wait);
        for (const [one, at] of until) if (at <= clock.now() && until.delete(one)) expired++;
        for (const asked of [name, "api.example.org", "a.wild.test"]) {
          const own = [...until.keys()].filter((one) => one.startsWith(`${asked} `));
          expect(ips(asked) ?? []).toEqual(own.map((one) => one.split(" ")[1]).sort());
        }
        expect(answers.size.addresses).toBe(until.size);
      }
    }),
    { numRuns: 200 },
  );
  expect(expired).toBeGreaterThan(100);
});

test("a fact is one as recorded answers have it", () => {
  const { answers, learn } = stage();
  learn(["192.0.2.1"]);
  const fact: HostNameFact | null = answers.fact(name);
  expect(fact).toEqual(hostName(name, "192.0.2.1"));
});
