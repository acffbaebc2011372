// What would look protected and is not is wrong usage, wherever it was said.

import { expect, test } from "@jest/globals";
import { readRunConfig } from "./config.ts";
import { UsageError } from "./values.ts";

const read = (flags: Readonly<Record<string, string>>, environment = {}) =>
  readRunConfig({
    flags: Object.fromEntries(
      Object.entries({ nb: "unix:/nb", ...flags }).map(([flag, text]) => [flag, [text]]),
    ),
    environment,
  }).metrics;

const bind = (address: string) => ({ "metrics-bind-address": address });
const pair = { "metrics-cert": "/c", "metrics-key": "/k" };
const token = { "metrics-auth": "token" };
const certificate = { "metrics-auth": "certificate" };
const clientCa = { "metrics-client-ca": "/ca" };

test.each([
  [
    "a certificate alone",
    { "metrics-cert": "/c" },
    "--metrics-cert: --metrics-cert and --metrics-key are needed together",
  ],
  [
    "a key alone",
    { "metrics-key": "/k" },
    "--metrics-key: --metrics-cert and --metrics-key are needed together",
  ],
  [
    "a client CA that nothing asks for",
    { ...pair, ...clientCa },
    "--metrics-client-ca: clients are not asked",
  ],
  [
    "a client CA with tokens",
    { ...pair, ...token, ...clientCa },
    "--metrics-client-ca: clients are not asked",
  ],
  [
    "client certificates without a CA",
    { ...pair, ...certificate },
    "--metrics-auth: certificate needs --metrics-client-ca",
  ],
  [
    "client certificates without TLS",
    { ...certificate, ...clientCa },
    "--metrics-auth: certificate needs --metrics-cert",
  ],
  [
    "tokens without a cluster",
    { ...token, ...pair, source: "dir:/x" },
    "--metrics-auth: token needs --source kube",
  ],
  [
    "tokens in the clear",
    { ...token, ...bind("0.0.0.0:9476") },
    "--metrics-auth: token needs --metrics-cert and --metrics-key, or tokens would travel in the clear to 0.0.0.0",
  ],
  ["tokens in the clear everywhere", { ...token, ...bind(":9476") }, "tokens would travel in the clear"],
  ["tokens in the clear, over IPv6", { ...token, ...bind("[::]:9476") }, "tokens would travel in the clear"],
  ["tokens in the clear to a name", { ...token, ...bind("127.0.0.1.example:9476") }, "in the clear"],
])("%s", (_, flags, words) => {
  expect(() => read(flags)).toThrow(UsageError);
  expect(() => read(flags)).toThrow(words);
});

test("the origin of what is wrong is told", () => {
  expect(() => read({}, { NORTHGATE_METRICS_KEY: "/k" })).toThrow("NORTHGATE_METRICS_KEY: --metrics-cert");
});

test.each([
  [{}, { host: "127.0.0.1", port: 9476, tls: null, auth: { kind: "none" } }],
  [
    token,
    { host: "127.0.0.1", port: 9476, tls: null, auth: { kind: "token", kubeconfig: null, context: null } },
  ],
  [
    { ...token, ...bind("[::1]:0"), kubeconfig: "/kc" },
    { host: "::1", port: 0, tls: null, auth: { kind: "token", kubeconfig: "/kc", context: null } },
  ],
  [
    { ...token, ...pair, ...bind(":1") },
    {
      host: "0.0.0.0",
      port: 1,
      tls: { certificate: "/c", key: "/k" },
      auth: { kind: "token", kubeconfig: null, context: null },
    },
  ],
  [
    { ...pair, ...certificate, ...clientCa },
    {
      host: "127.0.0.1",
      port: 9476,
      tls: { certificate: "/c", key: "/k" },
      auth: { kind: "certificate", clientCa: "/ca" },
    },
  ],
  [{ ...pair, ...bind("off") }, null],
])("%j", (flags, config) => {
  expect(read(flags)).toEqual(config);
});
