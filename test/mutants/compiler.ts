// Mistakes in what an object is taken to say: from the text of a policy to the intermediate representation.

import type { Listed } from "./list.ts";

export const compiler: readonly Listed[] = [
  {
    name: "protocol-defaults-to-udp",
    file: "src/kubernetes/ports.ts",
    was: 'if (!field.present) return "tcp";',
    becomes: 'if (!field.present) return "udp";',
    harm: "a port without a protocol is taken for UDP, and TCP to it is judged by no rule",
  },
  {
    name: "range-compiled-one-short",
    file: "src/kubernetes/ports.ts",
    was: '{ kind: "range", protocol, start, end };',
    becomes: '{ kind: "range", protocol, start, end: end - 1 };',
    harm: "the last port of every range is left out",
  },
  {
    name: "no-ports-means-no-port",
    file: "src/kubernetes/ports.ts",
    was: "if (!field.present) return { ports: null, unknown: [] };",
    becomes: "if (!field.present) return { ports: [], unknown: [] };",
    harm: "a rule without ports matches nothing instead of everything",
  },
  {
    name: "pass-compiled-to-allow",
    file: "src/anp/admin.ts",
    was: '["Pass", "pass"]',
    becomes: '["Pass", "allow"]',
    harm: "what was to be left to namespaced policies is allowed for good",
  },
  {
    name: "pod-selector-not-read",
    file: "src/kubernetes/groups.ts",
    was: 'return namespaces && pods && { kind: "pods", namespaces, pods };',
    becomes: 'return namespaces && pods && { kind: "pods", namespaces, pods: everything };',
    harm: "a peer or subject of some pods is all pods of their namespaces",
  },
  {
    name: "exists-compiled-to-its-opposite",
    file: "src/kubernetes/selector.ts",
    was: "|| !pure || key === null ? null : { operator, key };",
    becomes:
      '|| !pure || key === null ? null : { operator: operator === "Exists" ? "DoesNotExist" : "Exists", key };',
    harm: "Exists selects what has not the label, DoesNotExist what has it",
  },
  {
    name: "labels-lost-beside-expressions",
    file: "src/kubernetes/selector.ts",
    was: "return requirements([...labels, ...expressions]);",
    becomes: "return requirements(expressions.length > 0 ? expressions : labels);",
    harm: "matchLabels have no effect where there are matchExpressions, and too much is selected",
  },
  {
    name: "unknown-peer-fails-open",
    file: "src/anp/rules.ts",
    was: '{ ...closed, peers: [{ kind: "everything" }] }',
    becomes: "closed",
    harm: "a deny whose peer is of a newer API denies nothing instead of everything",
  },
  {
    name: "unknown-port-widens-an-allow",
    file: "src/anp/rules.ts",
    was: 'if (rule.action === "allow") return { ...rule, peers: [] };',
    becomes: 'if (rule.action === "allow") return rule;',
    harm: "an allow with one peer or port nobody knows still lets the others in",
  },
  {
    name: "peers-kept-of-a-closed-rule",
    file: "src/policy/reuse.ts",
    was: "peers: reused(rule.peers, earlier.peers),",
    becomes: "peers: earlier.peers,",
    harm: "an allow that matched nothing for a port nobody knows still matches nothing when the port is put right",
  },
  {
    name: "rule-remembered-at-another-place",
    file: "src/kubernetes/read-memo.ts",
    was: "if (known?.index === index) return",
    becomes: "if (known !== undefined) return",
    harm: "a rule that a YAML alias repeats has the row name and the priority of the first",
  },
  {
    name: "rules-counted-from-one",
    file: "src/anp/rules.ts",
    was: "{ index, share: null, name, action,",
    becomes: "{ index: index + 1, share: null, name, action,",
    harm: "row names and priorities are those of the rule behind, and a hundredth rule has no room",
  },
  {
    name: "baseline-in-the-admin-tier",
    file: "src/anp/baseline.ts",
    was: "tier: tiers.baseline,",
    becomes: "tier: tiers.admin,",
    harm: "the baseline decides before every NetworkPolicy and beside the first admin policy",
  },
];
