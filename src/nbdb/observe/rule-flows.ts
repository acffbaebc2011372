// Which flow entries of a switch are those of rules: the cookie of an entry is the beginning of the uuid of its logical flow in SB, and
// that comes from an ACL of NB. Follows both databases and writes to none. Two flows that one cookie and priority could mean are left
// out: their counts cannot be told apart.

import type { ObservedDatabases, RuleFlow, RuleFlows } from "../../observe/flows.ts";
import type { ObservedRule } from "../../observe/rule.ts";
import type { Cache, SocketSession } from "../../ovsdb/index.ts";
import { openSession } from "../../ovsdb/index.ts";
import { opensSoon } from "../actual/opens-soon.ts";
import { AclsOfFlows, stateOf } from "./acl-of-flow.ts";
import { faultsOf } from "./faults.ts";
import { ruleOfAcl } from "./rule-of-acl.ts";
import type { ObservedNorthbound, ObservedSouthbound } from "./schema.ts";
import { observedNorthbound, observedSouthbound, southboundMonitors } from "./schema.ts";

export class DatabaseFlows implements RuleFlows {
  readonly #nb: SocketSession<ObservedNorthbound>;
  readonly #sb: SocketSession<ObservedSouthbound>;
  /** null: a row has changed since. */
  #flows: readonly RuleFlow[] | null = null;

  constructor({ nb, sb, tls, clock, logger }: ObservedDatabases) {
    const common = { clock, logger, ...(tls === null ? {} : { tls }) };
    this.#nb = openSession({
      ...{ ...common, remotes: nb, database: observedNorthbound, monitors: { ACL: {} } },
    });
    this.#sb = openSession({
      ...{ ...common, remotes: sb, database: observedSouthbound, monitors: southboundMonitors },
    });
    const changed = (): void => {
      this.#flows = null;
    };
    this.#nb.subscribe({ changed });
    this.#sb.subscribe({ changed });
  }

  async opened(): Promise<void> {
    const [nb, sb] = await Promise.all([opensSoon(this.#nb), opensSoon(this.#sb)]);
    if (!nb) throw new Error(`no Northbound database: ${this.#nb.failure?.message ?? "no answer"}`);
    if (!sb) throw new Error(`no Southbound database: ${this.#sb.failure?.message ?? "no answer"}`);
  }

  flows(): readonly RuleFlow[] {
    return (this.#flows ??= flowsIn(this.#nb.cache, this.#sb.cache));
  }

  faults(): readonly string[] {
    return faultsOf(this.#nb, this.#sb);
  }

  async close(): Promise<void> {
    await Promise.all([this.#nb.close(), this.#sb.close()]);
  }
}

function flowsIn(nb: Cache<ObservedNorthbound>, sb: Cache<ObservedSouthbound>): readonly RuleFlow[] {
  const acls = new AclsOfFlows(
    Array.from(nb.table("ACL").entries(), ([uuid, row]) => [uuid, { ...row, uuid }] as const),
  );
  const rules = new Map<string, ObservedRule>();
  const found = new Map<string, RuleFlow | null>();
  for (const [uuid, flow] of sb.table("Logical_Flow").entries()) {
    const acl = acls.of(flow);
    if (acl === null) continue;
    const rule = rules.get(acl.uuid) ?? ruleOfAcl(acl, acl.uuid);
    rules.set(acl.uuid, rule);
    const one = { cookie: cookieOf(uuid), priority: flow.priority, rule, state: stateOf(flow) };
    const place = `${one.cookie} ${one.priority}`;
    found.set(place, found.has(place) ? null : one);
  }
  return [...found.values()].filter((one) => one !== null);
}

/** ovn-controller takes the first 32 bits of the uuid. */
function cookieOf(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8), 16);
}
