// What a reader of a verdict must know beside it, in sentences. Refuses nothing; which caveats leave a verdict open is not
// decided here.

import type { NamedEnd } from "../analysis/ends.ts";
import { refText, ruleText } from "../analysis/ref.ts";
import type { Completions, OpenPart } from "../unknowns/completions.ts";
import type { Unknown } from "../unknowns/unknowns.ts";
import type { ForeignPolicy } from "../unknowns/foreign.ts";
import { byForeignKind } from "../unknowns/foreign.ts";
import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import { contains } from "../model/cidr.ts";
import { familyNames, familyOf } from "../model/ip.ts";
import type { ObjectKind } from "../model/object.ts";
import { kindText } from "../model/object.ts";
import { quote } from "../model/quote.ts";
import { workloadText } from "../model/workload.ts";
import type { End } from "../policy/evaluate.ts";
import type { Tie, Verdict } from "../policy/ties.ts";
import type { Caveat } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";

export function tieCaveat({ direction, tier, steps }: Tie, asked: AskedWorld): Caveat {
  const named = steps.map(
    ({ policy, rule }) =>
      `${refText(policy.ref)} ${direction}[${rule?.index ?? "-"}] ${rule === null ? "Deny" : asked.ruleRefOf(policy, direction, rule).word}`,
  );
  return {
    code: "Tie",
    text: `${named.join(" and ")} match, in the ${tier.name} tier with equal priority: which of them decides is open`,
  };
}

/** `verdicts`: those that are possible. What a network plugin leaves open is said where they are several, each once. */
export function doubtCaveats(doubts: Iterable<Unknown>, verdicts: ReadonlySet<Verdict>): readonly Caveat[] {
  const met = [...doubts].filter(({ code }) => code !== "Plugin" || verdicts.size > 1);
  return [...new Map(met.map(unknownCaveat).map((one) => [`${one.code} ${one.text}`, one])).values()];
}

function unknownCaveat({ code, policy, rule, text: said }: Unknown): Caveat {
  const name = refText(policy.ref);
  const named = `${name} ${ruleText("egress", rule)}`;
  if (code === "Plugin") return { code, text: said ?? name };
  const text =
    code === "NotRead"
      ? `${name} is refused, so its effect on this connection is unknown`
      : `${named} names domains, which are not resolved here: it could match this address`;
  return { code, text };
}

/** How many names a sentence has. */
const shownNames = 3;

function listed(names: readonly string[]): string {
  const more = names.length - shownNames;
  return names.slice(0, shownNames).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Labels that were not read leave the verdict open. */
export function labelsCaveat({ worlds, unknown, parts }: Completions): Caveat {
  const asked = [...unknown].map(
    ([name, keys]) =>
      `Namespace ${name} was not read, so its ${keys.length === 1 ? "label" : "labels"} ${listed(keys)} ${keys.length === 1 ? "is" : "are"} unknown`,
  );
  const askers = new Set(parts.map(partText));
  const depends =
    worlds === null ? "there are too many ways in which they could be" : "the verdict depends on it";
  return {
    code: "NamespaceLabels",
    text: `${asked.join(", and ")}: ${depends} (${listed([...askers])})`,
  };
}

/** One for each kind. `concerning`: those that could be about an end. */
export function foreignCaveats(
  foreign: readonly ForeignPolicy[],
  concerning: ReadonlySet<ForeignPolicy>,
): readonly Caveat[] {
  return [...byForeignKind(foreign)].map(([kind, policies]) => {
    const open = policies.filter((one) => concerning.has(one));
    const text =
      open.length === 0
        ? `${kind} objects are not read here: none of them could be about these ends`
        : `${kind} ${listed(open.map(foreignName))}: the kind is not read here, and its rules could apply to these ends`;
    return { code: "KindNotRead", text };
  });
}

function foreignName({ namespace, name, place }: ForeignPolicy): string {
  return `${namespace === null ? "" : `${namespace}/`}${name}${place === null ? "" : ` (${place})`}`;
}

/** Whether there are policies of the kind is not known: the verdict is that of those that are. */
function unreadCaveat(kind: ObjectKind): Caveat {
  return {
    code: "KindNotListed",
    text: `${kindText(kind)} objects could not be listed: if there are any, they may decide otherwise`,
  };
}

/** What of a cluster could not be asked; a sentence. */
function notAskedCaveat(text: string): Caveat {
  return {
    code: "KindNotListed",
    text: `${text}: if there are policies of such kinds, they may decide otherwise`,
  };
}

/** Rules know the other end by its address alone. */
export function sharedCaveat({ ip, pod: own }: End, holders: readonly PodFact[]): Caveat {
  const names = holders.filter((pod) => pod !== own).map(({ namespace, name }) => podKey(namespace, name));
  return {
    code: "SharedAddress",
    text: `${ip} is the address of another running pod too, ${listed(names)}: the address does not identify the pod`,
  };
}

/** Where the pods of workloads will be leaves the verdict open. `workloads`: none where they are listed beside it. */
export function addressCaveat(workloads: readonly string[], parts: readonly OpenPart[]): Caveat {
  const askers = new Set(parts.map(partText));
  const depends = askers.size === 0 ? "" : ` (${listed([...askers])})`;
  const whose = workloads.length === 0 ? "the pods of the workload" : `${listed(workloads)}: the pods`;
  return {
    code: "NoAddress",
    text: `${whose} are not among the objects, so their addresses and nodes are unknown: the verdict depends on them${depends}`,
  };
}

function partText({ policy, direction, rule }: OpenPart): string {
  return `${refText(policy.ref)}${rule === null ? "" : ` ${ruleText(direction, rule)}`}`;
}

/** Of every answer: what of the world could not be listed. */
export function worldCaveats({ unreadPolicies, notAsked }: AskedWorld): readonly Caveat[] {
  return [...unreadPolicies.map(unreadCaveat), ...notAsked.map(notAskedCaveat)];
}

/** Of answers that have no room for the page of each. */
export function pluginCaveat({ cni }: Pick<AskedWorld, "cni">): readonly Caveat[] {
  if (cni === null) return [];
  const text = `with ${cni.title}, what the policy APIs leave open is as it is documented, or unknown: docs/cni.md has each answer and its page`;
  return [{ code: "Plugin", text }];
}

/** Where all destinations are listed. */
export function servicesCaveat({ services, serviceNetworks }: AskedWorld): readonly Caveat[] {
  if (services.every(({ ips }) => ips.length === 0) && serviceNetworks.length === 0) return [];
  return [
    {
      code: "ServiceAddress",
      text: "addresses and node ports of Services are no destinations here: policies see the pods that they lead to, which are listed",
    },
  ];
}

/** Of the pods, those on their nodes' networks. */
export function hostsCaveat(pods: readonly PodFact[]): readonly Caveat[] {
  const hosts = pods.filter((pod) => !isOnPodNetwork(pod));
  if (hosts.length === 0) return [];
  const names = hosts.map(({ namespace, name }) => podKey(namespace, name));
  return [
    {
      code: "HostNetwork",
      text: `${listed(names)}: on the network of the node, and known to policies as that node's address only`,
    },
  ];
}

/** Where ends are pods on the pod network and workloads that stand for such. */
export function hostWorkloadsCaveat({ workloads }: Pick<AskedWorld, "workloads">): readonly Caveat[] {
  const names = workloads.filter(({ template }) => !isOnPodNetwork(template)).map(workloadText);
  if (names.length === 0) return [];
  return [
    {
      code: "HostNetwork",
      text: `${listed(names)}: the pods are on the network of their nodes, and policies know them as these nodes' addresses only`,
    },
  ];
}

/** Of the ends, whatever the policies say. `to`: null: a Service. */
export function endCaveats(asked: AskedWorld, from: NamedEnd, to: NamedEnd | null): readonly Caveat[] {
  const { facts, families } = asked;
  const caveats = [...worldCaveats(asked)];
  for (const { kind, pod, ip, node } of [from, ...(to === null ? [] : [to])]) {
    if (kind === "host" && pod !== null && asked.cni?.hostPods.are !== "open")
      caveats.push({
        code: "HostNetwork",
        text: `pod ${quote(`${pod.namespace}/${pod.name}`)} is on the network of node ${node ?? "?"}: policies know it as that node's address only`,
      });
    const unseen =
      kind === "address" &&
      [...facts.nodes].find(({ podNetworks = [] }) => podNetworks.some((one) => contains(one, ip)));
    if (unseen)
      caveats.push({
        code: "UnseenPod",
        text: `${ip} lies in the pod network of node ${unseen.name} and is no known pod's: a pod there would be evaluated by its labels`,
      });
  }
  const family = familyOf(from.ip);
  if (families !== null && !families.includes(family))
    caveats.push({
      code: "Family",
      text: `${familyNames[family]} is not among the families that are served: no rows are written for it, this is what the policies say`,
    });
  return caveats;
}
