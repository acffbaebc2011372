// NG029: names that pods cannot ask DNS for. Where DNS servers are known NG008 asks about them, and this rule about nothing. Otherwise a
// pod is reported if no rule that is about it could allow it to ask any server, and every address outside is denied to it: then a
// server is denied wherever it is, since a pod's address is in the networks that are denied.

import { excerptOf } from "../../../lib/text/few.ts";
import { dnsPorts, dnsServers } from "../../../analysis/needs.ts";
import { familyOf } from "../../../model/ip.ts";
import { podText } from "../../../model/workload.ts";
import type { OrderedRule } from "../../../verdicts/entries.ts";
import { effectOfRule } from "../../../verdicts/row.ts";
import type { Traffic } from "../../../verdicts/traffic.ts";
import { noTraffic } from "../../../verdicts/traffic.ts";
import type { Context } from "../../context.ts";
import type { Draft, Target } from "../../draft.ts";
import { ofPolicy, ofRule, partOf } from "../../draft.ts";
import { nounsOf } from "../../parties.ts";
import { counted, ruleIn } from "../../words.ts";
import type { Client } from "./naming.ts";
import { denialIn, namesOf, namingRules, Surroundings } from "./naming.ts";

const shown = 3;
/** Where servers of DNS listen: the second is that of OpenShift's pods. */
const ports = [53, 5353];

export function* namesWithoutDns(context: Context): Generator<Draft> {
  const rules = namingRules(context);
  if (rules.length === 0 || isDnsKnown(context) || context.foreign.length > 0 || context.open.isAnywhere)
    return;
  const surroundings = new Surroundings(context);
  const silent = new Map(
    surroundings.clients.flatMap((client) => {
      const denial = denialOf(client, surroundings, context);
      return denial === null ? [] : [[client, denial]];
    }),
  );
  for (const parts of rules) {
    const isAbout = ({ ends }: Client) => ends.some((one) => parts.some((part) => one.rules.has(part)));
    const about = surroundings.clients.filter(isAbout);
    const denied = about.filter((client) => silent.has(client));
    const [first] = denied;
    const by = first && silent.get(first);
    if (by !== undefined) yield draftOf(parts[0], { about, denied, by }, context);
  }
}

function isDnsKnown({ needs, facts, workloads }: Context): boolean {
  const isServer = workloads.some(({ template }) => dnsPorts(needs, template, "udp").length > 0);
  return isServer || needs.dns.length > 0 || dnsServers(needs, facts, "udp").length > 0;
}

/** What denies DNS to the client at an end of it, if each of them is denied it; null: it may ask a server, or nothing is known. */
function denialOf({ ends }: Client, surroundings: Surroundings, context: Context): Target | null {
  const { reach } = context;
  const asked = ports.reduce((all, port) => all | reach.at("udp", port), noTraffic);
  let first: Target | null = null;
  for (const { end, rules } of ends) {
    if ([...rules].some((rule) => mayAllow(rule, asked & reach.trafficOf(rule, familyOf(end.ip)))))
      return null;
    for (const row of surroundings.rowsOf(end)) {
      const denial = row && denialIn(row, asked);
      if (denial === null || (row !== null && (row.silent & asked) !== noTraffic)) return null;
      first ??= denial.entry === null ? ofPolicy(denial.policy) : ofRule(denial.entry);
    }
  }
  return first;
}

/** Names of ports may lead to a port of DNS. */
function mayAllow({ rule }: OrderedRule, asked: Traffic): boolean {
  if (effectOfRule(rule) === "deny" || namesOf(rule).length === rule.peers.length) return false;
  const isNamed = rule.ports?.some(({ kind }) => kind === "named" || kind === "declared") === true;
  return isNamed || asked !== noTraffic;
}

interface Silenced {
  readonly about: readonly Client[];
  readonly denied: readonly Client[];
  readonly by: Target;
}

function draftOf(entry: OrderedRule, { about, denied, by }: Silenced, context: Context): Draft {
  const names = denied.slice(0, shown).map(({ party }) => podText(party.pod));
  const policy = context.policies.find(({ key }) => key === by.key) ?? entry.policy;
  const denying = ruleIn(entry.policy, policy, "egress", by.at?.rule ?? null);
  const parties = about.map(({ party }) => party);
  return {
    ...{ severity: "warning", target: ofRule(entry), field: partOf(entry, "peers"), related: [by] },
    message:
      `${denied.length} of ${counted(about.length, ...nounsOf(parties))} that it is about cannot ask DNS for its names: ` +
      `${denying} denies udp 53, for ${excerptOf(denied.length, names)}`,
    fix: "allow udp 53 and tcp 53 to the DNS pods before it",
  };
}
