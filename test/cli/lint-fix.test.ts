// `lint --fix`: afterwards the findings that it mends are absent and every verdict is as before, whatever the manifest looks like;
// and as a user runs it: a diff with --dry-run, and files that cannot be changed exactly.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { mendsOf, write } from "../../src/cli/mends.ts";
import { everyDialect, everyKind, installed } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { lint } from "../../src/lint/lint.ts";
import { usualNeeds } from "../../src/analysis/needs.ts";
import { parseIp } from "../../src/model/ip.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { outcomes } from "../../src/policy/ties.ts";
import { comparisonsOf } from "../../src/verdicts/comparison.ts";
import { northgate } from "../support/program.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(120_000));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-fix-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const facts = `apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop }
spec: { nodeName: n1, containers: [{ name: c, image: c }] }
status: { phase: Running, podIPs: [{ ip: 10.0.0.9 }] }
---
`;
const addresses = [
  "10.0.0.1",
  "10.0.3.255",
  "10.0.4.0",
  "10.0.7.255",
  "10.0.8.0",
  "10.0.64.1",
  "10.1.0.1",
  "192.0.2.1",
];

/** Networks with and without bits behind the prefix, most of them inside of others. */
const network = fc
  .tuple(
    fc.constantFrom("10.0.0.1", "10.0.1.0", "10.0.4.0", "10.0.5.1", "192.0.2.1"),
    fc.constantFrom(8, 16, 21, 22, 24, 32),
  )
  .map(([address, length]) => `${address}/${length}`);
type Style = "block" | "flow" | "quoted" | "commented";
const style = fc.constantFrom<Style>("block", "flow", "quoted", "commented");
const networks = fc.tuple(style, fc.array(network, { minLength: 1, maxLength: 5 }));

function listText(how: Style, items: readonly string[], indent: string): string {
  if (how === "flow") return ` [${items.join(", ")}]\n`;
  const lines = items.map((one, at) => {
    const text = how === "quoted" ? `"${one}"` : one;
    return how === "commented"
      ? `${indent}# network ${at}\n${indent}- ${text} # of ${at}\n`
      : `${indent}- ${text}\n`;
  });
  return `\n${lines.join("")}`;
}

function adminPolicy(
  name: string,
  priority: number,
  lists: readonly (readonly [Style, readonly string[]])[],
): string {
  const peers = lists.map(([how, items]) => `        - networks:${listText(how, items, "            ")}`);
  return `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: ${name}
  annotations:
    northgate/lint-ignore: "NG001: kept; NG003@egress[0]: none"
spec:
  priority: ${priority}
  subject: { namespaces: {} }
  egress:
    - name: "x"
      action: Deny
      to:
${peers.join("")}---
`;
}

function namespacePolicy(how: Style, items: readonly string[]): string {
  const blocks = items.map(
    (one, at) => `{ ipBlock: { cidr: ${one}${at % 2 === 1 ? ", except: [10.0.4.4/31]" : ""} } }`,
  );
  return `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: np, namespace: shop }
spec:
  podSelector: {}
  policyTypes: [Egress]
  egress:
    - to:${listText(how === "quoted" ? "block" : how, blocks, "        ")}`;
}

function modelOf(file: string) {
  const { policies, references } = installed(everyKind);
  const { objects, placeOf, problems } = loadManifests([file], policies, references);
  // An exception outside of its network is refused.
  const mode = { zone: null, namedPorts: "list" } as const;
  const model = offlineModel({ objects, dialects: everyDialect.dialects, families: null, mode });
  return { model, placeOf, problems };
}

function reportOf(file: string) {
  const { model, placeOf } = modelOf(file);
  return lint({
    ...{ policies: model.policies(), records: [...model.records()], facts: model.facts },
    ...{ dialects: everyDialect.dialects, placeOf, needs: usualNeeds },
  });
}

test("whatever is mended is absent afterwards, and every verdict is as it was", () => {
  const counts = { mended: 0, refused: 0 };
  fc.assert(
    fc.property(
      fc.array(networks, { minLength: 1, maxLength: 3 }),
      networks,
      networks,
      (lists, [other, some], [how, items]) => {
        const file = join(folder, "policies.yaml");
        const text =
          facts +
          adminPolicy("one", 1, lists) +
          adminPolicy("two", 2, [[other, some]]) +
          namespacePolicy(how, items);
        writeFileSync(file, text);
        const before = modelOf(file);
        expect(before.problems).toEqual([]);
        const mends = mendsOf(reportOf(file));
        counts.refused += mends.refused.length;
        if (mends.refused.length > 0) return;
        counts.mended += mends.count;
        write(mends);
        expect(reportOf(file).findings.filter((one) => one.edit !== null && one.suppressed === null)).toEqual(
          [],
        );
        const after = modelOf(file);
        const [old, next] = [before.model, after.model].map((model) => ({
          policies: model.policies(),
          facts: model.facts,
        }));
        if (old === undefined || next === undefined) throw new Error("no worlds");
        expect(comparisonsOf({ old, new: next }).flatMap((one) => one.run())).toEqual([]);
        const [pod] = [...old.facts.pods.values()];
        const [ip] = pod?.ips ?? [];
        for (const address of addresses) {
          const to = parseIp(address);
          if (pod === undefined || ip === undefined || to === null) throw new Error(address);
          const connection = {
            from: { ip, pod },
            to: { ip: to, pod: null },
            protocol: "tcp",
            port: 80,
          } as const;
          expect(outcomes(connection, next.facts, next.policies).verdicts).toEqual(
            outcomes(connection, old.facts, old.policies).verdicts,
          );
        }
        // What nothing was wrong with has its bytes still.
        expect(readFileSync(file, "utf8").startsWith(facts)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
  expect(counts.mended).toBeGreaterThan(100);
  expect(counts.refused).toBe(0);
});

const masked = facts + adminPolicy("one", 1, [["commented", ["10.0.5.1/16", "10.0.4.0/24", "192.0.2.0/24"]]]);

test("--dry-run prints a diff and changes nothing; without it the file is changed", () => {
  const file = join(folder, "masked.yaml");
  writeFileSync(file, masked);
  const dry = northgate("lint", "-f", file, "--fix", "--dry-run", "--rule", "NG015");
  expect([dry.code, dry.stderr]).toEqual([1, ""]);
  expect(dry.stdout).toContain(`--- a/${file}\n+++ b/${file}\n@@ `);
  expect(dry.stdout.split("\n").filter((line) => /^[-+] /.test(line))).toEqual([
    "-            - 10.0.5.1/16 # of 0",
    "+            - 10.0.0.0/16 # of 0",
    "-            - 10.0.4.0/24 # of 1",
  ]);
  expect(readFileSync(file, "utf8")).toBe(masked);
  const fixed = northgate("lint", "-f", file, "--fix", "--rule", "NG015", "--fail-on", "info");
  expect([fixed.code, fixed.stderr]).toEqual([0, "northgate: 2 findings fixed in 1 file\n"]);
  expect(fixed.stdout).toBe("0 errors, 0 warnings, 0 of information\n");
  expect(readFileSync(file, "utf8")).toBe(
    masked.replace("10.0.5.1/16", "10.0.0.0/16").replace("            - 10.0.4.0/24 # of 1\n", ""),
  );
  const again = northgate("lint", "-f", file, "--fix", "--dry-run", "--rule", "NG015");
  expect([again.code, again.stdout]).toEqual([0, ""]);
});

test("a file with aliases stays as it is, and says why", () => {
  const file = join(folder, "aliases.yaml");
  const text = masked.replace("priority: 1", "priority: &one 1").replace('name: "x"', "name: *one");
  writeFileSync(file, text.replace("name: *one", 'name: "x"\n      ports: [{ portNumber: { port: *one } }]'));
  const before = readFileSync(file, "utf8");
  const { code, stderr } = northgate("lint", "-f", file, "--fix", "--rule", "NG015", "--fail-on", "info");
  expect(code).toBe(1);
  expect(stderr).toContain(
    `${file} stays as it is: it has aliases, so a change may be one of several places`,
  );
  expect(readFileSync(file, "utf8")).toBe(before);
});

test.each<readonly [string, readonly string[]]>([
  ["--dry-run needs --fix", ["-f", ".", "--dry-run"]],
  ["--fix needs manifests: -f PATH", ["--fix"]],
])("%s", (message, args) => {
  const { code, stderr } = northgate("lint", ...args);
  expect([code, stderr.includes(message)]).toEqual([2, true]);
});
