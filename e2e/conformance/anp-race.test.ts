// The one excuse of the suite anp: it is of the lines of upstream's source that it names, and of nothing else.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { upstreamOrSkip } from "../../test/support/upstream.ts";
import { firstConnections, lostRace } from "./anp-race.ts";

const file = "admin-network-policy-standard-ingress-udp-rules.go";
const tcpFile = "admin-network-policy-standard-ingress-tcp-rules.go";
const tooSoon =
  "Expected connection to fail from a/b-0 to 10.244.1.5, but instead it successfully connected.";
const failed = (line: number, protocol = "udp", of = file, said = tooSoon) =>
  `    ${of}:${line}: FAILED Command was [/agnhost connect --timeout=3s --protocol=${protocol} 10.244.1.5:53]
    ${of}:${line}: ${said}
    ${of}:${line + 2}:
        Error Trace: ${of}:${line + 2}
        Error: Should be true
`;

test("the first connection after a change, alone, lost the race", () => {
  expect(lostRace(failed(119, "tcp", tcpFile))).toBe(true);
  expect(lostRace(failed(120))).toBe(true);
  expect(lostRace(failed(119, "sctp", "admin-network-policy-standard-ingress-sctp-rules.go"))).toBe(true);
});

test.each([
  ["a second connection failed too", failed(120) + failed(124)],
  ["it is a later connection", failed(124)],
  [
    "it is TCP and did not come about",
    failed(119, "tcp", tcpFile, "Expected connection to succeed from a/b-0"),
  ],
  ["it is of another file", failed(120, "udp", "admin-network-policy-standard-gress-rules.go")],
  ["exec failed", `    ${file}:120: FAILED to execute command [/agnhost connect] on pod a/b: no\n`],
  ["exec failed too", `${failed(120)}    ${file}:124: FAILED to execute command [/agnhost] on pod a/b: no\n`],
  ["nothing of a connection is said", "    suite.go:1: timed out\n"],
])("it did not when %s", (_why, output) => {
  expect(lostRace(output)).toBe(false);
});

const upstream = await upstreamOrSkip();
(upstream === null ? test.skip : test)("the lines are those of upstream's source", () => {
  const folder = join(upstream?.v1alpha1 ?? "", "conformance", "tests");
  const found = readdirSync(folder).flatMap((name) => {
    const lines = firstsOf(readFileSync(join(folder, name), "utf8"));
    return lines.length === 0 ? [] : [[name, lines] as const];
  });
  expect(Object.fromEntries(found)).toEqual(firstConnections);
});

/** Lines that call PokeServer first after a change, of any protocol. */
function firstsOf(source: string): readonly number[] {
  let isChanged = false;
  return source.split("\n").flatMap((line, at) => {
    isChanged ||= /\.(?:Patch|Update|Create|Delete)\(/.test(line);
    if (!line.includes("PokeServer(")) return [];
    const isFirst = isChanged;
    isChanged = false;
    return isFirst && /"(?:tcp|udp|sctp)",$/.test(line) ? [at + 1] : [];
  });
}
