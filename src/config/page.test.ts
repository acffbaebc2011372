// The page on an address that other machines can reach is protected, or said not to be; the same for both commands.

import { describe, expect, test } from "@jest/globals";
import { readRunConfig } from "./config.ts";
import type { PageConfig } from "./page.ts";
import { readUiConfig } from "./ui.ts";
import { UsageError } from "./values.ts";

type Flags = Readonly<Record<string, string>>;
const input = (flags: Flags) => ({
  flags: Object.fromEntries(Object.entries(flags).map(([flag, text]) => [flag, [text]])),
  environment: {},
});
const commands: readonly (readonly [string, (flags: Flags) => PageConfig | null])[] = [
  ["ui", (flags) => readRunConfig(input({ nb: "unix:/nb", ...flags })).ui],
  [
    "listen",
    ({ ui, ...flags }) => readUiConfig(input({ ...(ui === undefined ? {} : { listen: ui }), ...flags })).page,
  ],
];

const pair = { "ui-cert": "/c", "ui-key": "/k" };
const token = { "ui-auth": "token" };
const certificate = { "ui-auth": "certificate", "ui-client-ca": "/ca" };

describe.each(commands)("--%s", (flag, read) => {
  test.each(["0.0.0.0:1", "[::]:1", "192.0.2.1:1", "127.0.0.1.example:1", "host:1"])(
    "%s needs TLS and readers that are known",
    (ui) => {
      const host = ui.replace(/^\[|\]?:1$/g, "");
      const both = `--${flag}: other machines can reach ${host}: --ui-cert and --ui-key, and --ui-auth token or certificate are needed, or --ui-insecure`;
      for (const [given, words] of [
        [{}, both],
        [pair, `--${flag}: other machines can reach ${host}: --ui-auth token or certificate is needed`],
        [token, "--ui-auth: token needs --ui-cert and --ui-key, or tokens would travel in the clear"],
        [certificate, "--ui-auth: certificate needs --ui-cert and --ui-key"],
      ] as const) {
        expect(() => read({ ui, ...given })).toThrow(UsageError);
        expect(() => read({ ui, ...given })).toThrow(words);
      }
      for (const given of [
        { ...pair, ...token },
        { ...pair, ...certificate },
        { "ui-insecure": "true" },
        { ...pair, "ui-insecure": "true" },
      ])
        expect(read({ ui, ...given })).toMatchObject({ host, port: 1 });
    },
  );

  test.each(["127.0.0.1:1", "localhost:1", "[::1]:1", ":1"])("%s needs nothing", (ui) => {
    expect(read({ ui })).toMatchObject({ tls: null, auth: { kind: "none" }, basePath: "", hosts: [] });
  });

  test("tokens are reviewed by the API server of the source", () => {
    const ui = ":1";
    expect(read({ ui, ...token, kubeconfig: "/kc" })?.auth).toEqual({
      ...{ kind: "token", kubeconfig: "/kc", context: null },
    });
    expect(() => read({ ui, ...token, source: "dir:/x" })).toThrow("--ui-auth: token needs --source kube");
  });

  test("a base path and names", () => {
    const read1 = (flags: Flags) => read({ ui: ":1", ...flags });
    expect(read1({ "ui-base-path": "/a/b-c", "ui-hosts": "A.example,b" })).toMatchObject({
      ...{ basePath: "/a/b-c", hosts: ["a.example", "b"] },
    });
    for (const path of ["/", "a", "/a/", "//a", "/a?b", "/a b"])
      expect(() => read1({ "ui-base-path": path })).toThrow("is not a path such as /northgate");
    for (const hosts of ["a:80", "http://a", "a,,b", "10.0.0.1", "*", ".a", "a,b "])
      expect(() => read1({ "ui-hosts": hosts })).toThrow("is not the name of a host");
  });
});
