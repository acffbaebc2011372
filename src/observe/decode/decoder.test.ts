// Samples to what people read: the client of a connection, repeats, numbers of no rule, and which events a filter wants.

import { expect, test } from "@jest/globals";
import { ip } from "../../../test/support/facts.ts";
import type { SampledPacket } from "../ipfix/sampled-packet.ts";
import type { ObservedRule } from "../rule.ts";
import { Decoder } from "./decoder.ts";
import type { SeenEvent } from "./event.ts";
import type { EventFilter } from "./filter.ts";
import { isWanted } from "./filter.ts";
import type { SampleSource } from "./source.ts";

const rule: ObservedRule = {
  policy: { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "shop", name: "web" },
  ...{ direction: "ingress", rule: 2, action: "allow", word: "Allow" },
};
const pods = new Map([
  ["10.0.0.1", { namespace: "shop", name: "web" }],
  ["10.0.0.2", { namespace: "db", name: "pg" }],
]);
const source: SampleSource = {
  setId: 1,
  connectionOf: (app) => (app === 2 ? "new" : app === 3 ? "established" : null),
  ruleAt: (number) => (number === 7 ? rule : null),
  podAt: (address) => pods.get(address) ?? null,
  faults: () => [],
  close: () => Promise.resolve(),
};
const at = Date.UTC(2026, 0, 1, 12);
const there: SampledPacket = {
  ...{ app: 2, datapath: 1, point: 7, source: ip("10.0.0.1"), destination: ip("10.0.0.2") },
  ...{ protocol: 6, sourcePort: 40_000, destinationPort: 5432, icmp: null, atMs: at },
};
const back = {
  ...{ ...there, app: 3, source: there.destination, destination: there.source },
  ...{ sourcePort: 5432, destinationPort: 40_000 },
};
const shown: SeenEvent = {
  ...{ time: "2026-01-01T12:00:00.000Z", verdict: "allowed", connection: "new" },
  from: { ip: ip("10.0.0.1"), pod: { namespace: "shop", name: "web" } },
  to: { ip: ip("10.0.0.2"), pod: { namespace: "db", name: "pg" } },
  ...{ protocol: "tcp", sourcePort: 40_000, port: 5432, icmp: null, isReply: false, rule, number: 7 },
};

test("an answer is shown from its client to its server", () => {
  const decoder = new Decoder(source);
  expect(decoder.decode(there)).toEqual(shown);
  expect(decoder.decode(back)).toEqual({ ...shown, connection: "established", isReply: true });
  expect(decoder.decode({ ...there, app: 3 })).toEqual({ ...shown, connection: "established" });
});

test("of a connection that was open before, no end is called the client", () => {
  const { from, to, sourcePort, port, isReply } = new Decoder(source).decode(back) ?? shown;
  expect([from.ip, to.ip, sourcePort, port, isReply]).toEqual(["10.0.0.2", "10.0.0.1", 5432, 40_000, null]);
});

test("a sample that says again what one has said is left out, of another rule, packet or switch not", () => {
  const decoder = new Decoder(source);
  const times = [at, at + 300, at + 999, at + 2_500].map((atMs) => decoder.decode({ ...there, atMs }));
  expect(times.map((event) => event !== null)).toEqual([true, false, false, true]);
  expect(decoder.decode({ ...there, point: 8 })).toMatchObject({ rule: null, verdict: null, number: 8 });
  expect(decoder.decode({ ...there, sourcePort: 40_001 })).not.toBeNull();
  expect(decoder.decode({ ...there, datapath: 2 })).not.toBeNull();
  // Of what is dropped outside of ACLs, whose number is no Sample's.
  expect(decoder.decode({ ...there, app: 1 })).toBeNull();
});

test("ICMP of both families, and protocols without a name", () => {
  const decoder = new Decoder(source);
  const portless = { ...there, sourcePort: 0, destinationPort: 0 };
  const echo = { ...portless, protocol: 1, icmp: { type: 8, code: 0 } };
  expect(decoder.decode(echo)).toMatchObject({ protocol: "icmp", port: null, icmp: { type: 8, code: 0 } });
  // Of the same rule and ends within a second, and another packet all the same.
  expect(decoder.decode({ ...echo, icmp: { type: 13, code: 0 } })).not.toBeNull();
  expect(decoder.decode({ ...echo, icmp: { type: 13, code: 0 } })).toBeNull();
  const answer = { ...echo, app: 3, source: echo.destination, destination: echo.source };
  expect(decoder.decode({ ...answer, icmp: { type: 0, code: 0 } })).toMatchObject({ isReply: true });
  const [source6, destination6] = [ip("fd00::1"), ip("fd00::2")];
  const v6 = { ...portless, source: source6, destination: destination6 };
  expect(decoder.decode({ ...v6, protocol: 58, icmp: { type: 128, code: 0 } })).toMatchObject({
    protocol: "icmp",
  });
  expect(decoder.decode({ ...v6, protocol: 1 })).toMatchObject({ protocol: 1, sourcePort: null });
  expect(decoder.decode({ ...portless, protocol: 47 })).toMatchObject({ protocol: 47, port: null });
});

const all: EventFilter = {
  ...{ pod: null, namespace: null, policy: null, verdict: null, toPort: null, hasEstablished: false },
};
const unknown = { ...shown, rule: null, verdict: null };
test.each<readonly [string, Partial<EventFilter>, SeenEvent, boolean]>([
  ["everything", {}, shown, true],
  ["later packets", {}, { ...shown, connection: "established" }, false],
  ["later packets", { hasEstablished: true }, { ...shown, connection: "established" }, true],
  ["the sender", { pod: { namespace: "shop", name: "web" } }, shown, true],
  ["the receiver", { pod: { namespace: "db", name: "pg" } }, shown, true],
  ["another pod", { pod: { namespace: "db", name: "web" } }, shown, false],
  ["a namespace", { namespace: "db" }, shown, true],
  [
    "a policy's namespace",
    { namespace: "shop" },
    { ...shown, from: { ...shown.to }, to: { ...shown.to } },
    true,
  ],
  ["another namespace", { namespace: "bank" }, shown, false],
  ["a policy", { policy: { namespace: null, name: "web" } }, shown, true],
  ["a policy elsewhere", { policy: { namespace: "db", name: "web" } }, shown, false],
  ["a policy, of no rule", { policy: { namespace: null, name: "web" } }, unknown, false],
  ["a verdict", { verdict: "allowed" }, shown, true],
  ["another verdict", { verdict: "dropped" }, unknown, false],
  ["a port", { toPort: 5432 }, shown, true],
  ["a port, not the sender's", { toPort: 40_000 }, shown, false],
  ["both of two", { toPort: 5432, verdict: "dropped" }, shown, false],
])("a filter for %s", (_, filter, event, is) => {
  expect(isWanted(event, { ...all, ...filter })).toBe(is);
});
