// An engine over the places of the stack, without rows: what it puts in force, what the list of ACLs at these places does, and
// which policies it was told have moved.

import { Engine } from "../../src/controller/engine.ts";
import { Groups } from "../../src/groups/index.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import { keyOf } from "../../src/model/object.ts";
import type { ExistingAcl, ExistingPlaces } from "../../src/nbdb/ranking/places.ts";
import { StackPlaces } from "../../src/nbdb/ranking/stack/stack-places.ts";
import { isExitIn } from "../../src/nbdb/rows/acl.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import type { StackLayout } from "../../src/policy/contracts/tier-layout.ts";
import { stack } from "../../src/policy/contracts/tier-layout.ts";
import type { Connection, World } from "../../src/policy/evaluate.ts";
import type { Action, Direction, Policy, PolicyKey, Rule } from "../../src/policy/ir.ts";
import { directions } from "../../src/policy/ir.ts";
import { isSelected, matches, subjectOf } from "../../src/policy/matching.ts";
import type { PolicyObject } from "../../src/model/object.ts";

/** A row: of a rule, or of the default denies. */
export interface Acl {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: Rule | null;
  /** ACL.action. */
  readonly action: Action;
  readonly tier: number;
  readonly priority: number;
}

export class StackEngine {
  readonly engine: Engine;
  readonly places: StackPlaces;
  readonly #layout: StackLayout;
  readonly held = new Map<PolicyKey, Policy>();
  readonly #told = new Set<PolicyKey>();

  constructor(dialects: readonly Dialect[], layout: StackLayout = stack) {
    const facts = new FactStore();
    this.places = new StackPlaces(layout);
    this.#layout = layout;
    const { places, held } = this;
    const tell = (keys: readonly PolicyKey[]): void => {
      for (const key of keys) this.#told.add(key);
    };
    this.engine = new Engine({
      ...{ dialects, facts, groups: new Groups(facts), families: ["v4"] },
      backend: {
        serve: () => undefined,
        admit: (policy) => places.admit(policy),
        upsert: (policy) => {
          held.set(policy.key, policy);
          tell([policy.key, ...places.upsert(policy)]);
        },
        remove: (key) => {
          held.delete(key);
          tell(places.remove(key));
        },
        takeContested: () => places.takeContested(),
        freeze: () => undefined,
      },
    });
  }

  /** One pass; null: the object is removed. Returns the policies whose rows must be looked at again. */
  pass(changes: readonly (readonly [PolicyObject, boolean])[]): ReadonlySet<PolicyKey> {
    this.#told.clear();
    for (const [object, isThere] of changes) this.engine.observe(keyOf(object), isThere ? object : null);
    this.engine.settle();
    return new Set(this.#told);
  }

  /** The rows that the policies in force have. */
  acls(): readonly Acl[] {
    const { places } = this;
    return [...this.held.values()].flatMap((policy) =>
      directions.flatMap((direction): readonly Acl[] => {
        const isOpen = places.isOpenEnd(policy.key, direction);
        const rules = policy.rules[direction].filter(({ action }) => !(isOpen && action === "pass"));
        const ends = policy.unmatched[direction] === "deny" && !isOpen ? [places.end(policy.key)] : [];
        return [
          ...rules.map((rule) => ({
            ...{ policy, direction, rule, action: this.#actionOf(policy, rule) },
            ...places.place(policy.key, rule),
          })),
          ...ends.map((place) => ({ policy, direction, rule: null, action: "deny" as const, ...place })),
        ];
      }),
    );
  }

  #actionOf(policy: Policy, { action }: Rule): Action {
    const isExit = isExitIn(this.#layout, policy);
    return isExit && action === "pass" ? "allow" : action;
  }

  /** What decides where each policy's rows are. */
  standing(): ReadonlyMap<PolicyKey, string> {
    const { places } = this;
    return new Map(
      Array.from(this.held.keys(), (key) => [
        key,
        JSON.stringify([
          places.place(key, { index: 0, action: "allow" }),
          places.end(key),
          directions.map((direction) => places.isOpenEnd(key, direction)),
        ]),
      ]),
    );
  }

  /** The places as rows have them. */
  existing(): ExistingPlaces {
    const existing = new Map<PolicyKey, ExistingAcl[]>();
    for (const { policy, rule, tier, priority } of this.acls()) {
      const acls = existing.get(policy.key) ?? [];
      existing.set(policy.key, acls);
      const { index, action } = rule ?? ({ index: "default", action: "deny" } as const);
      acls.push({ index, action, place: { tier, priority } });
    }
    return existing;
  }
}

/** As OVN asks its ACLs: tier by tier, the highest priority first; `pass` goes to the next tier, and what nothing decides is allowed. */
export function verdictOf(acls: readonly Acl[], connection: Connection, world: World): "allow" | "deny" {
  return directions.every((direction) => passes(acls, direction, connection, world)) ? "allow" : "deny";
}

function passes(acls: readonly Acl[], direction: Direction, connection: Connection, world: World): boolean {
  const end = subjectOf(connection, direction);
  for (const tier of [0, 1, 2, 3]) {
    const met = acls
      .filter((acl) => acl.tier === tier && acl.direction === direction)
      .filter(({ policy, rule }) => isSelected(end, rule?.subject ?? policy.subject, world))
      .filter(({ rule }) => rule === null || matches(rule, direction, connection, world));
    const highest = met.reduce<Acl | null>(
      (best, acl) => (best !== null && best.priority >= acl.priority ? best : acl),
      null,
    );
    const action = highest?.action ?? "pass";
    if (action !== "pass") return action === "allow";
  }
  return true;
}
