// The exit codes of `northgate plan`, sentence by sentence of docs/plan.md: kinds of worlds × flags → code. A gate passes only
// where something was judged.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { planAnswer } from "../../src/cli/plan-answer.ts";
import { readPlanConfig } from "../../src/config/answers/plan.ts";
import type { ConfigInput } from "../../src/config/values.ts";
import type { Manifest } from "../support/manifests.ts";
import { isolating, namespaceOf, nodeOf, podOf, written } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-codes-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const homes = [namespaceOf("shop"), nodeOf("n")];
const web = podOf("shop", "web", "10.0.0.1");
const db = podOf("shop", "db", "10.0.0.2");
const whole = [...homes, web, db];
const deny = isolating("shop", "deny", { app: "db" });
const fromNobody = isolating("shop", "deny", { app: "db" }, [
  { podSelector: { matchLabels: { app: "moon" } } },
]);
const silent: Manifest = { ...deny, spec: { podSelector: {}, policyTypes: ["Egress"] } };
const ofNobody = isolating("shop", "nobody", { app: "moon" });
const never: Manifest = {
  ...{
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace: "shop", name: "never" },
  },
  spec: {
    podSelector: {
      matchLabels: { app: "db" },
      matchExpressions: [{ key: "app", operator: "NotIn", values: ["db"] }],
    },
    policyTypes: ["Ingress"],
  },
};
const broken: Manifest = {
  ...{
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace: "shop", name: "odd" },
  },
  spec: { podSelector: 7 },
};
const namingDomain = (domain: string, action = "Accept"): Manifest => ({
  ...{
    apiVersion: "policy.networking.k8s.io/v1alpha2",
    kind: "ClusterNetworkPolicy",
    metadata: { name: "web" },
  },
  spec: {
    ...{ tier: "Admin", priority: 5, subject: { namespaces: {} } },
    egress: [{ name: "sites", action, to: [{ domainNames: [domain] }] }],
  },
});
const cilium = (port: string): Manifest => ({
  ...{ apiVersion: "cilium.io/v2", kind: "CiliumNetworkPolicy", metadata: { namespace: "shop", name: "c" } },
  spec: { endpointSelector: {}, ingress: [{ toPorts: [{ ports: [{ port, protocol: "TCP" }] }] }] },
});
const notReadWhy = "c: CiliumNetworkPolicy.cilium.io is a kind of policy that is not read";
const deployment: Manifest = {
  ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "shop", name: "moon" } },
  spec: { template: { metadata: { labels: { app: "moon" } }, spec: {} } },
};
const denied = { "fail-on": ["allow-to-deny"] };
const both = { "fail-on": ["allow-to-deny", "deny-to-allow"] };
const lenient = { ...denied, "allow-unjudged": ["true"] };

interface Row {
  readonly world: string;
  readonly old: readonly Manifest[];
  readonly new: readonly Manifest[];
  /** Codes without flags, with --fail-on allow-to-deny, and with --allow-unjudged too. */
  readonly codes: readonly [plain: number, failOn: number, allowed: number];
  /** What is said of the policies that were not judged, or, beginning with "note", of those that do nothing. */
  readonly said?: readonly string[];
}

const rows: readonly Row[] = [
  { world: "nothing differs", old: [...whole, deny], new: [...whole, deny], codes: [0, 0, 0] },
  { world: "a class that is asked for", old: whole, new: [...whole, deny], codes: [2, 2, 2] },
  { world: "a class that is not asked for", old: [...whole, deny], new: whole, codes: [2, 0, 0] },
  {
    ...{ world: "no Pod in either world", old: homes, new: [...homes, deny], codes: [2, 1, 0] },
    said: ["deny: no Pod is among the objects"],
  },
  {
    ...{ world: "no Pod, and the policy is removed", old: [...homes, deny], new: homes, codes: [2, 1, 0] },
    said: ["deny: no Pod is among the objects"],
  },
  {
    world: "pods that have no address yet",
    ...{ old: [...homes, web], new: [...homes, web, podOf("shop", "db", null), deny], codes: [2, 1, 0] },
    said: ["deny: pods that it selects have no address: shop/db"],
  },
  {
    world: "a pod without an address that the policy does not select",
    ...{ old: whole, new: [...whole, podOf("shop", "late", null), ofNobody], codes: [2, 0, 0] },
    said: ["note nobody: it selects no pod"],
  },
  {
    ...{ world: "pods of one world only", old: [...homes, web], new: [...whole, deny], codes: [2, 1, 0] },
    said: ["deny: pods that it selects are in one world only: shop/db"],
  },
  {
    world: "a Namespace that nobody has read, of a namespaced policy",
    ...{ old: whole, new: [...whole, isolating("bank", "deny")], codes: [2, 1, 0] },
    said: ["deny: Namespace bank was not read"],
  },
  {
    ...{ world: "a subject that selects nobody in a whole world", old: whole, new: [...whole, ofNobody] },
    ...{ codes: [2, 0, 0], said: ["note nobody: it selects no pod"] },
  },
  {
    ...{ world: "a subject that selects nobody in any world", old: homes, new: [...homes, never] },
    ...{ codes: [2, 0, 0], said: ["note never: it selects no pod"] },
  },
  {
    ...{ world: "a peer that selects nobody", old: [...whole, deny], new: [...whole, fromNobody] },
    ...{ codes: [2, 0, 0], said: ["note deny: the peers of ingress[0] select nothing"] },
  },
  {
    ...{ world: "a class that is asked for beside a policy that was not judged", old: whole },
    ...{ new: [...whole, deny, isolating("bank", "deny")], codes: [2, 2, 2] },
    said: ["deny: Namespace bank was not read"],
  },
  {
    ...{ world: "an object that is refused", old: whole, new: [...whole, broken], codes: [1, 1, 1] },
  },
  {
    world: "an object that is refused beside a class that is asked for",
    ...{ old: whole, new: [...whole, deny, broken], codes: [1, 1, 1] },
  },
  {
    world: "a rule whose domain names were edited",
    ...{ old: [...whole, namingDomain("a.example")], new: [...whole, namingDomain("b.example")] },
    ...{ codes: [0, 1, 0] },
    said: ['web: in part: egress[0] "sites" names domains, which are not resolved here'],
  },
  {
    world: "a rule of domain names that, as it is in force, denies what was edited anyway",
    old: [...whole, namingDomain("a.example", "Deny")],
    ...{ new: [...whole, namingDomain("a.example", "Deny"), silent], codes: [2, 1, 0] },
    said: [
      'web: in part: egress[0] "sites" names domains, which are not resolved here, and the edit depends on what it denies',
    ],
  },
  {
    world: "a rule of domain names that denies, and an edit of nothing that it could deny",
    old: [...whole, namingDomain("a.example", "Deny")],
    ...{ new: [...whole, namingDomain("a.example", "Deny"), ofNobody], codes: [2, 0, 0] },
    said: ["note nobody: it selects no pod"],
  },
  {
    world: "a rule of domain names that was not edited",
    ...{ old: [...whole, namingDomain("a.example")], new: [...whole, namingDomain("a.example"), deny] },
    ...{ codes: [2, 2, 2] },
  },
  {
    ...{ world: "a policy of a kind that is not read, added", old: whole, new: [...whole, cilium("80")] },
    ...{ codes: [1, 1, 0], said: [notReadWhy] },
  },
  {
    ...{ world: "one edited", old: [...whole, cilium("80")], new: [...whole, cilium("81")] },
    ...{ codes: [1, 1, 0], said: [notReadWhy] },
  },
  {
    ...{ world: "one removed", old: [...whole, cilium("80")], new: whole },
    ...{ codes: [1, 1, 0], said: [notReadWhy] },
  },
  {
    world: "one that both worlds have",
    ...{ old: [...whole, cilium("80")], new: [...whole, cilium("80")], codes: [0, 0, 0] },
  },
  {
    world: "one added beside a class that is asked for",
    ...{ old: whole, new: [...whole, cilium("80"), deny], codes: [1, 2, 2], said: [notReadWhy] },
  },
  {
    ...{ world: "a Deployment in place of pods", old: whole, new: [...whole, deployment, ofNobody] },
    codes: [2, 1, 0],
    said: ["nobody: pods of Deployment shop/moon are not among the objects"],
  },
  {
    world: "nothing but policies, which get the other world's pods",
    old: whole,
    new: [deny],
    codes: [2, 2, 2],
  },
  {
    world: "a Namespace beside the policies",
    ...{ old: whole, new: [namespaceOf("new"), deny], codes: [2, 2, 2] },
  },
];

/** The answer as the command has it, in this process: a process each would take a second. */
function answered(old: readonly Manifest[], next: readonly Manifest[], flags: ConfigInput["flags"] = {}) {
  const [was, is] = [written(folder, "old", ...old), written(folder, "new", ...next)];
  const world = { filename: [is], against: [`dir:${was}`] };
  return planAnswer(readPlanConfig({ flags: { ...world, ...flags }, environment: {} }));
}

test.each(rows)("$world: $codes", async ({ old, new: next, codes, said = [] }) => {
  const { report, code } = await answered(old, next);
  const gates = [await answered(old, next, denied), await answered(old, next, lenient)];
  expect([code, ...gates.map((gate) => gate.code)]).toEqual(codes);
  expect([
    ...report.unjudged.map(({ policy, why }) => `${policy.name}: ${why}`),
    ...report.notes.map(({ policy, text }) => `note ${policy.name}: ${text}`),
  ]).toEqual(said);
});

test("several classes may be asked for, and a class that is not there fails nothing", async () => {
  const codeOf = async (flags: ConfigInput["flags"]) => (await answered([...whole, deny], whole, flags)).code;
  expect(await codeOf(denied)).toBe(0);
  expect(await codeOf(both)).toBe(2);
  expect(await codeOf({ "fail-on": ["unknown"] })).toBe(0);
});

test("the process ends with the code of the answer", () => {
  const [was, is] = [written(folder, "old", ...homes), written(folder, "new", ...homes, deny)];
  const ended = (...flags: readonly string[]) =>
    northgate("plan", "-f", is, "--against", `dir:${was}`, ...flags).code;
  const gate = ["--fail-on", "allow-to-deny"];
  expect([ended(), ended(...gate), ended(...gate, "--allow-unjudged")]).toEqual([2, 1, 0]);
});

test("every form of output says which policies were not judged, and why", () => {
  const [was, is] = [written(folder, "old", ...homes), written(folder, "new", ...homes, deny, never)];
  const printed = (form: string) => northgate("plan", "-f", is, "--against", `dir:${was}`, "-o", form).stdout;
  const lines = printed("table").split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "No verdict differs of what was judged.",
    "Not judged     NetworkPolicy shop/deny: no Pod is among the objects",
  ]);
  expect(lines).toContain("Notes          NetworkPolicy shop/never: it selects no pod");
  const markdown = printed("markdown").replaceAll("&#58;", ":").replaceAll("&#46;", ".");
  expect(markdown).toMatch(/^### Network policy plan: no verdict differs, 1 not judged, rows: /);
  expect(markdown).toContain("\n> Not judged: NetworkPolicy shop/deny: no Pod is among the objects.\n");
});
