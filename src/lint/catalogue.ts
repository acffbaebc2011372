// The catalogue: every rule of lint, once. What it finds, how bad that is, why it matters and what to do are here and nowhere
// else: `--help`, the rules of SARIF and docs/lint.md are made from it. An id never changes its meaning and is never used again.

import type { CatalogueRule } from "./catalogue-rule.ts";
import { intentRules } from "./intent-rules.ts";
import { nameRules } from "./name-rules.ts";
import { takenAway } from "./rules/beside.ts";
import { failsClosed } from "./rules/closed.ts";
import { manyFlows } from "./rules/flows.ts";
import { inertPolicy } from "./rules/inert.ts";
import { isolatedByAccident } from "./rules/isolation.ts";
import { beyondLimits } from "./rules/limits.ts";
import { holdsPods, maskedOrRepeated } from "./rules/networks/networks.ts";
import { shadowed, unreachable } from "./rules/order.ts";
import { passToNothing } from "./rules/pass.ts";
import { noSuchPort } from "./rules/ports/ports.ts";
import { noApiServer, noDns, noMonitoring, noProbes } from "./rules/reaching.ts";
import { rowsDisagree } from "./rules/rows.ts";
import { selectsNothing } from "./rules/selectors.ts";
import { ties } from "./rules/ties.ts";
import { notUnderstood } from "./rules/unread.ts";

const rules: readonly CatalogueRule[] = [
  {
    ...{ id: "NG000", name: "not understood", severities: ["error", "warning"], check: notUnderstood },
    found:
      "an object is refused, a file cannot be read, a field or a kind of policy is unknown, or a policy selects by labels of a " +
      "namespace that was not read; a warning if a policy is in force except for a part",
    help:
      "The other findings do not depend on what was not read. This rule is always checked, whatever --rule selects. It does not " +
      "repeat findings of other rules (NG005, NG012, NG014). If a file has no readable object, the finding's policy is the file, " +
      "of the kind File; for what was not requested from a cluster, the kind is Cluster.",
  },
  {
    ...{ id: "NG001", name: "shadowed rule", severities: ["warning"], check: shadowed },
    found: "earlier rules of the same policy match every connection that the rule matches",
    help:
      "The rule decides nothing. It never decides if earlier rules select everything that it selects. If this holds only for the " +
      'objects that were read, the message says "among today\'s objects", and the rule may be needed later. Delete a rule that ' +
      "never decides, or move it above the named one. A rule that closes the policy, by denying everything at its end, is " +
      "reported only if it never decides; keep it.",
  },
  {
    ...{ id: "NG002", name: "unreachable rule", severities: ["warning"], check: unreachable },
    found:
      "policies before this one decide every connection that the rule matches, and its own policy does not",
    help:
      "As NG001, by policies of a lower priority number or of an earlier tier. Policies of equal priority hide nothing, since " +
      "their order is open, except for kinds whose rules are evaluated by their place in the list. Narrow the named rules; if " +
      "all are in the same tier and the policy has a priority, a lower number helps too.",
  },
  {
    ...{ id: "NG003", name: "tie", severities: ["error", "info"], check: ties },
    found:
      "rules of policies with equal tier and priority disagree about one connection; information where no " +
      "connection meets both today, but their selectors allow one",
    help:
      "The API leaves open which of them decides, and so does OVN: the verdict may differ from node to node and from day to " +
      "day. It is reported once for each pair, under the policy whose key is first. Give one of them another priority.",
  },
  {
    ...{ id: "NG004", name: "selects nothing", severities: ["info", "warning"], check: selectsNothing },
    found:
      "a subject, or all peers of a rule, select nothing; a warning where a selector asks for a label that no pod, namespace " +
      "or node has, or selects only pods on the host network",
    help:
      "No policy applies to pods on the host network, and selectors of pods do not select them: a peer names their nodes. " +
      "A label that no object has is usually a typing error, and the fix offers the nearest one that exists. Kinds of which no " +
      "object was read are not checked. Rules with a dash mistake (NG023) are left to that rule.",
  },
  {
    ...{ id: "NG005", name: "fails closed", severities: ["warning"], check: failsClosed },
    found: "a peer or a port of a rule is empty, or of a newer API than this program knows",
    help:
      "Such a rule is stricter than it looks: a deny or a pass denies everything, an allow allows nothing. Write the part as " +
      "this version of the API has it.",
  },
  {
    ...{ id: "NG006", name: "no such port", severities: ["warning"], check: noSuchPort },
    found: "a rule names a port that none of its destinations declares, or declares for another protocol",
    help: "Names of ports are looked up on the destination's pods. Name one that they declare, or give its number.",
  },
  {
    ...{ id: "NG007", name: "network holds pods", severities: ["warning"], check: holdsPods },
    found: "a deny by networks decides connections between pods, because their addresses lie in the networks",
    help:
      "A deny of the internet, such as 0.0.0.0/0, also denies every pod that no earlier rule allows. Pass or allow the " +
      "intended pods before it.",
  },
  {
    ...{ id: "NG008", name: "no DNS", severities: ["error", "warning"], check: noDns },
    found:
      "a pod can reach no pod with a UDP port named dns or dns-tcp, on the egress side or on the ingress side; a warning " +
      "for TCP",
    help:
      "A pod without DNS reaches nothing by name; without DNS over TCP long answers are lost. Both sides must allow it: the " +
      "egress of the pod, and the ingress of the DNS pods. --dns names a namespace, or an ADDRESS:PORT, instead.",
  },
  {
    ...{ id: "NG009", name: "no API server", severities: ["info", "warning"], check: noApiServer },
    found:
      "a pod can reach no node of the control plane on TCP port 6443; a warning for pods that mount a service account's token",
    help:
      "Most pods never use the API, and a default deny keeps them from it. A pod with a token is expected to: it has a volume " +
      "projected from serviceAccountToken, which the API server adds where automountServiceAccountToken is not false. " +
      "--api-server gives ADDRESS:PORT instead.",
  },
  {
    ...{ id: "NG010", name: "no probes", severities: ["error"], check: noProbes },
    ofRows: true,
    found:
      "a node is denied to its own pods, on a TCP port that they declare, or on all where they declare none",
    help: "The kubelet's probes come from the node: pods that it cannot reach are never ready, or are restarted.",
  },
  {
    ...{ id: "NG011", name: "no monitoring", severities: ["warning"], check: noMonitoring },
    found:
      "no pod of the namespace that --monitoring names can reach a port named scrape, metrics or *-metrics of a pod",
    help: "It is checked only with --monitoring.",
  },
  {
    ...{ id: "NG012", name: "beyond limits", severities: ["error"], check: beyondLimits },
    ofRows: true,
    found: "a policy is refused: a priority above 99, more than 100 rules, or no ACL priority free",
    help: "The whole object is refused. Its previous version stays in force.",
  },
  {
    ...{ id: "NG013", name: "pass to nothing", severities: ["info"], check: passToNothing },
    found: "no policy of a later tier decides what a rule passes on",
    help:
      "What no policy decides is allowed, so the pass means allow. Write allow, or add the policy that is to decide. If later " +
      'policies select other objects, the message says "among today\'s objects".',
  },
  {
    ...{ id: "NG014", name: "isolated by accident", severities: ["warning"], check: isolatedByAccident },
    found:
      "a policy denies a direction that neither its rules nor policyTypes name, is of some pods, names one in policyTypes and " +
      "has rules for the other only, or has rules for a direction that policyTypes leaves out",
    help:
      "A NetworkPolicy without policyTypes isolates ingress, and egress too where it has egress rules. Write policyTypes. A policy " +
      "of all pods of a namespace that names both directions and allows only DNS is the usual default deny, and is not reported.",
  },
  {
    ...{ id: "NG015", name: "masked or repeated network", severities: ["info"], check: maskedOrRepeated },
    found: "a network has bits set behind its prefix, or lies inside another network of the same rule",
    help: "10.0.54.0/19 means 10.0.32.0/19, which is larger than it appears. --fix mends it.",
  },
  {
    ...{ id: "NG016", name: "inert policy", severities: ["warning"], check: inertPolicy },
    found: "a policy has no rules, or only rules that never decide, and isolates no pod",
    help:
      "It changes no verdict, either of any connection or of those between today's objects; the message says which. Delete it if " +
      "it has no rules; otherwise see the findings about its rules. A policy with a rule that denies everything at its end is " +
      "reported only if no rule ever decides.",
  },
  {
    ...{ id: "NG017", name: "idle suppression", severities: ["info", "warning"], check: null },
    found: "a suppression has nothing to suppress; a warning where it is not understood",
    help:
      "The annotation northgate/lint-ignore has entries ID: REASON or ID@DIRECTION[INDEX]: REASON, with semicolons between " +
      "them. It cannot suppress this rule. --fix removes entries that suppress nothing.",
  },
  {
    ...{ id: "NG018", name: "rows disagree", severities: ["error"], check: rowsDisagree },
    ofRows: true,
    found: "with --nb, a row of the Northbound database is missing, extra or altered",
    help: "The rows are what is enforced. `northgate run` repairs them.",
  },
  {
    ...{ id: "NG019", name: "taken away", severities: ["warning"], check: takenAway },
    ofRows: true,
    found:
      "with --enable-network-policy=false, a rule that allows or passes is behind OVN-Kubernetes' rows of NetworkPolicies, and one of " +
      "these isolates pods that the rule is about",
    help:
      "What a NetworkPolicy isolates gets what NetworkPolicies allow, no more: their denies are before policies of a later order in " +
      "the same tier. Give the policy the order of NetworkPolicies or a lower one, or write a NetworkPolicy that allows it.",
  },
  {
    ...{ id: "NG020", name: "many flows", severities: ["warning"], check: manyFlows },
    ofRows: true,
    found:
      "OVN makes more than 100,000 flows of a rule, because it lists IP protocols and has many addresses",
    help:
      "A rule about all protocols but one is a list of the other 255 for OVN, and each address has a flow for each of them. " +
      "ovn-controller needs minutes for a million flows, and changes of policies and pods wait for it. Name the protocols that the " +
      "rule is about. Flows are counted from today's pods.",
  },
  ...intentRules,
  ...nameRules,
];

/** By id. */
export const catalogue: readonly CatalogueRule[] = rules.toSorted((a, b) => (a.id < b.id ? -1 : 1));

export const ruleIds: ReadonlySet<string> = new Set(catalogue.map(({ id }) => id));

export function ruleOf(id: string): CatalogueRule | null {
  return catalogue.find((rule) => rule.id === id) ?? null;
}
