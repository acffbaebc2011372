// The settings of names that `run` resolves: their values, and what is refused.

import { expect, test } from "@jest/globals";
import { readRunConfig } from "./config.ts";
import { serverParts } from "./names.ts";

const namesOf = (...pairs: readonly (readonly [string, string])[]) => {
  const given = [["nb", "tcp:127.0.0.1:6641"], ...pairs] as const;
  const flags = Object.fromEntries(given.map(([flag, text]) => [flag, [text]]));
  return readRunConfig({ flags, environment: {} }).names;
};
const poll = ["names", "poll"] as const;
const dnstap = ["names", "dnstap"] as const;

test("without the flag there are none, and the others have no meaning", () => {
  expect(namesOf()).toBeNull();
  for (const flag of ["names-servers", "names-service", "names-min-ttl", "cluster-domain", "service-cidr"])
    expect(() => namesOf([flag, "1"])).toThrow(`--${flag}: has no meaning without --names poll`);
  for (const flag of ["names-search", "names-bind-address", "names-tls-cert", "names-tls-key"])
    for (const others of [[], [poll]])
      expect(() => namesOf([flag, "1"], ...others)).toThrow(
        `--${flag}: has no meaning without --names dnstap`,
      );
});

test("by default the cluster's own DNS is asked", () => {
  expect(namesOf(poll)).toEqual({
    servers: { kind: "service", namespace: "kube-system", name: "kube-dns" },
    ...{ minTtlMs: 0, clusterDomain: "cluster.local", serviceNetworks: [], taps: null },
  });
});

test("DNS servers may send what they answer, with TLS or without", () => {
  expect(namesOf(dnstap)?.taps).toEqual({ host: "0.0.0.0", port: 9478, tls: null, search: [] });
  const tls = [
    ["names-bind-address", "[::1]:7000"],
    ["names-tls-cert", "tls.crt"],
    ["names-tls-key", "tls.key"],
    ["names-search", "Corp.Example.,eu.corp.example"],
  ] as const;
  expect(namesOf(dnstap, ...tls)?.taps).toEqual({
    ...{ host: "::1", port: 7000, tls: { certificate: "tls.crt", key: "tls.key" } },
    search: ["corp.example", "eu.corp.example"],
  });
  expect(() => namesOf(dnstap, ["names-tls-key", "tls.key"])).toThrow(
    "--names-tls-key: --names-tls-cert and --names-tls-key are needed together",
  );
});

test.each(["corp.example,", "a..b", "*.corp.example", "corp.example eu.corp.example"])(
  "--names-search %s is refused",
  (text) => {
    expect(() => namesOf(dnstap, ["names-search", text])).toThrow(/^--names-search: .* is not a domain/);
  },
);

test("of a DNS server the address and the port", () => {
  expect(["192.0.2.1:53", "[2001:db8::1]:5353"].map(serverParts)).toEqual([
    { host: "192.0.2.1", port: 53 },
    { host: "2001:db8::1", port: 5353 },
  ]);
});

test("everything can be said otherwise", () => {
  const servers = ["names-servers", "192.0.2.1,192.0.2.2:5353,2001:db8::1,[2001:db8::2]:5353"] as const;
  const others = [
    ["names-min-ttl", "60"],
    ["cluster-domain", "Corp.Example."],
    ["service-cidr", "10.96.0.0/12,fd00::/112"],
  ] as const;
  expect(namesOf(poll, servers, ...others)).toEqual({
    servers: {
      kind: "given",
      servers: ["192.0.2.1:53", "192.0.2.2:5353", "[2001:db8::1]:53", "[2001:db8::2]:5353"],
    },
    ...{ minTtlMs: 60_000, clusterDomain: "corp.example", serviceNetworks: ["10.96.0.0/12", "fd00::/112"] },
    taps: null,
  });
});

test.each([
  ["names-servers", "dns.example.org:53", /"dns\.example\.org:53" is not ADDRESS:PORT/],
  ["names-servers", "192.0.2.1:0", /is not ADDRESS:PORT/],
  ["names-servers", "192.0.2.1,", /"" is not ADDRESS:PORT/],
  ["names-service", "kube-dns", /"kube-dns" is not NAMESPACE\/NAME/],
  ["names-min-ttl", "-1", /is not a number of seconds/],
  ["cluster-domain", "a..b", /"a\.\.b" is not a domain/],
  ["service-cidr", "10.96.0.0", /"10\.96\.0\.0" is not a network/],
] as const)("--%s %s is refused", (flag, text, message) => {
  expect(() => namesOf(poll, [flag, text])).toThrow(message);
});

test("manifests have no DNS: the servers must be given", () => {
  expect(() => namesOf(poll, ["source", "dir:x"])).toThrow("--names-servers is needed");
});
