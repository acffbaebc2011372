// `make bench W=names`: its DNS server answers each question about a name with another address, and what is summed up is what came and went
// while it was measured.

import { expect, test } from "@jest/globals";
import { DnsServer } from "../../bench/names/dns-server.ts";
import { Ledger } from "../../bench/names/ledger.ts";
import { Window } from "../../bench/names/window.ts";
import { resolverOf } from "../../e2e/names/coredns.ts";

test("each answer has another address, known by when it was sent; the first TTLs differ, and IPv6 has none", async () => {
  const ledger = new Ledger();
  const server = await DnsServer.open(10, ledger);
  try {
    const resolver = resolverOf(`127.0.0.1:${server.port}`);
    const ask = async (name: string) => (await resolver.resolve4(name, { ttl: true }))[0];
    const first = [await ask("a.test"), await ask("b.test")];
    const second = [await ask("a.test"), await ask("b.test")];
    expect(first.map((one) => one?.ttl)).toEqual([1, 2]);
    expect(second.map((one) => one?.ttl)).toEqual([10, 10]);
    const addresses = [...first, ...second].map((one) => one?.address ?? "");
    expect(addresses).toEqual(["198.18.0.0", "198.18.0.1", "198.18.0.2", "198.18.0.3"]);
    const times = addresses.map((one) => ledger.sentAt(one) ?? NaN);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(ledger.sentAt("198.18.0.4")).toBeNull();
    await expect(resolver.resolve6("a.test")).rejects.toThrow("ENODATA");
  } finally {
    await server.close();
  }
});

test("what is measured is what came and went meanwhile, and the delay of what was sent", () => {
  const ledger = new Ledger();
  const window = new Window(ledger);
  const change = (at: number, added: readonly string[], removed: readonly string[]) => {
    window.take({ at, sets: new Map([["set", { added, removed }]]) });
  };
  const [early, sent] = [ledger.next(), ledger.next()];
  ledger.sent(early);
  change(performance.now(), [early], []);
  window.open();
  ledger.sent(sent);
  const at = ledger.sentAt(sent) ?? NaN;
  change(at + 5, [sent, "192.0.2.1"], []);
  change(at + 6, [], [early]);
  expect(window.close()).toEqual({
    ...{ updates: 2, added: 2, removed: 1 },
    delayMs: { p50: 5, p99: null, max: 5 },
  });
  change(at + 7, [], [sent]);
  expect(window.changes).toHaveLength(2);
});
