// The backend contract, part three: random worlds, policies and changes. Any path ends in the state of a fresh start, and
// what is stored gives the verdicts that the policies mean. A policy that a backend cannot say is refused when it is asked.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { IpFamily } from "../../src/model/ip.ts";
import type { NamespaceFact, NodeFact, PodFact } from "../../src/model/facts.ts";
import { podKey } from "../../src/model/facts.ts";
import { problemCodes } from "../../src/model/problem.ts";
import { everything } from "../../src/model/selector.ts";
import type { Connection } from "../../src/policy/evaluate.ts";
import { judge } from "../../src/policy/evaluate.ts";
import type { Policy, PolicyKey } from "../../src/policy/ir.ts";
import type { Driver } from "./driver.ts";
import type { GeneratedWorld } from "./generator-world.ts";
import {
  connectionsIn,
  namespaceFact,
  namespaceNames,
  nodeFact,
  nodeNames,
  podFact,
  podNames,
  world,
} from "./generator-world.ts";
import { anyPolicy, mixedPolicy, plainPolicy, policiesOf } from "./generator.ts";
import type { Stage } from "./stage.ts";
import { isTied } from "./ties.ts";

type Change =
  | { readonly do: "see"; readonly fact: PodFact | NamespaceFact | NodeFact }
  | { readonly do: "forgetPod" | "forgetNamespace" | "forgetNode" | "remove"; readonly name: string }
  | { readonly do: "apply"; readonly policy: Policy }
  | { readonly do: "serve"; readonly families: readonly IpFamily[] }
  | { readonly do: "commit" | "restart" | "loseNextAnswer" };

const policyNames = ["one", "two", "three"] as const;

function changeOf(policy: fc.Arbitrary<Policy>): fc.Arbitrary<Change> {
  const podName = fc
    .tuple(fc.constantFrom(...namespaceNames), fc.constantFrom(...podNames))
    .map(([namespace, name]) => podKey(namespace, name));
  const of = (weight: number, arbitrary: fc.Arbitrary<Change>) => ({ weight, arbitrary });
  const forget = (change: "forgetPod" | "forgetNamespace" | "forgetNode", name: fc.Arbitrary<string>) =>
    name.map((given): Change => ({ do: change, name: given }));
  const fact: fc.Arbitrary<PodFact | NamespaceFact | NodeFact> = fc.oneof(
    { weight: 4, arbitrary: podFact },
    { weight: 2, arbitrary: namespaceFact },
    { weight: 1, arbitrary: nodeFact },
  );
  return fc.oneof(
    of(
      8,
      fact.map((given) => ({ do: "see", fact: given })),
    ),
    of(1, forget("forgetPod", podName)),
    of(1, forget("forgetNamespace", fc.constantFrom(...namespaceNames))),
    of(1, forget("forgetNode", fc.constantFrom(...nodeNames))),
    of(
      6,
      policy.map((given) => ({ do: "apply", policy: given })),
    ),
    of(
      1,
      fc.constantFrom(...policyNames).map((name) => ({ do: "remove", name })),
    ),
    of(
      1,
      fc.constantFrom<IpFamily[]>(["v4"], ["v4", "v6"]).map((families) => ({ do: "serve", families })),
    ),
    of(6, fc.constant({ do: "commit" })),
    of(1, fc.constantFrom({ do: "restart" }, { do: "loseNextAnswer" })),
  );
}

/** What is there now, whatever the way to it. */
class Present {
  readonly facts = new Map<string, PodFact | NamespaceFact | NodeFact>();
  readonly policies = new Map<PolicyKey, Policy>();
  families: readonly IpFamily[] = ["v4", "v6"];

  async start(stage: Stage): Promise<Driver> {
    const driver = await stage.start({ families: this.families });
    driver.see(...this.facts.values());
    driver.apply(...this.policies.values());
    return driver;
  }

  /** The driver and this both take in the change. */
  take(change: Change, driver: Driver): void {
    switch (change.do) {
      case "see":
        this.facts.set(factKey(change.fact), change.fact);
        driver.see(change.fact);
        break;
      case "forgetPod":
      case "forgetNamespace":
      case "forgetNode":
        this.facts.delete(`${change.do.slice("forget".length)} ${change.name}`);
        if (change.do === "forgetPod") driver.forgetPod(change.name as PodFactKey);
        else if (change.do === "forgetNamespace") driver.forgetNamespace(change.name);
        else driver.forgetNode(change.name);
        break;
      case "apply":
        this.policies.set(change.policy.key, change.policy);
        driver.apply(change.policy);
        break;
      case "remove":
        for (const { key, ref } of [...this.policies.values()]) {
          if (ref.name !== change.name) continue;
          this.policies.delete(key);
          driver.remove(key);
        }
        break;
      case "serve":
        this.families = change.families;
        driver.backend.serve(change.families);
        break;
      default:
    }
  }
}

type PodFactKey = ReturnType<typeof podKey>;

function factKey(fact: PodFact | NamespaceFact | NodeFact): string {
  return fact.kind === "Pod" ? `Pod ${podKey(fact.namespace, fact.name)}` : `${fact.kind} ${fact.name}`;
}

export function randomContract(current: () => Stage): void {
  /** All of the IR where the backend can be asked, else what all backends say. */
  const policyOf = mixedPolicy;
  const admits = (driver: Driver, policy: Policy) => driver.backend.admit(policy).length === 0;

  /** One after the other: what is in force may leave no place for the next. */
  const applyAdmitted = (driver: Driver, policies: readonly Policy[]) =>
    policies.filter((policy) => {
      if (!admits(driver, policy)) return false;
      driver.apply(policy);
      return true;
    });
  const expectVerdicts = async (
    connections: readonly Connection[],
    given: GeneratedWorld,
    policies: readonly Policy[],
  ) => {
    const snapshot = await current().harness.snapshot();
    for (const connection of connections) {
      if (isTied(connection, given, policies)) continue;
      expect(snapshot.judge(connection)).toBe(judge(connection, given, policies).verdict);
    }
  };
  const trial = world.chain((given) => {
    const connection = connectionsIn(given);
    const connections = connection === null ? fc.constant([]) : fc.array(connection, { minLength: 15 });
    return fc.record({ given: fc.constant(given), policies: policiesOf(policyOf), connections });
  });
  const runs = (most: number) => Math.ceil(most / (current().harness.trialsIn ?? 1));

  describe("whatever comes", () => {
    test("any path ends in the state of a fresh start, and the next program writes nothing", async () => {
      const change = changeOf(policyOf(fc.constantFrom(...policyNames)));
      const property = fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
        const present = new Present();
        await current().harness.clear();
        let driver = await current().start();
        for (const one of changes) {
          if (one.do === "apply" && !admits(driver, one.policy)) continue;
          present.take(one, driver);
          if (one.do === "restart") driver = await present.start(current());
          if (one.do === "commit") await current().settle(driver);
          if (one.do === "loseNextAnswer") {
            current().harness.loseNextAnswer();
            // Nothing is lost where nothing was to be written.
            if ((await driver.commit()).interrupted === null) driver = await present.start(current());
            await current().harness.restore();
            await current().connected(driver);
          }
        }
        await current().settle(driver);
        const fresh = await current().withoutHistory();
        const next = await present.start(current());
        await current().settle(next);
        expect(current().harness.written()).toBe(0);
        await current().harness.clear();
        await current().settle(await present.start(current()));
        expect(await current().withoutHistory()).toBe(fresh);
      });
      await fc.assert(property, { numRuns: runs(100) });
    });

    test("what is frozen stays in force, whichever of several policies it is, and goes when it is removed", async () => {
      const isFrozen = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
      const property = fc.asyncProperty(
        trial,
        isFrozen,
        async ({ given, policies, connections }, frozenAt) => {
          const startWith = async (some: readonly Policy[]) => {
            const driver = await current().start();
            driver.seeWorld(given);
            driver.apply(...some);
            return driver;
          };
          await current().harness.clear();
          const first = await current().start();
          first.seeWorld(given);
          const admitted = applyAdmitted(first, policies);
          await current().settle(first);
          const frozen = admitted.filter((_, at) => frozenAt[at]);
          const others = admitted.filter((_, at) => frozenAt[at] !== true);
          const second = await startWith(others);
          for (const { key } of frozen) second.backend.freeze(key);
          await current().settle(second);
          const { harness } = current();
          const isRankedAnew = harness.ranksDesiredAlone === true && harness.written() > 0;
          if (!isRankedAnew) await expectVerdicts(connections, given, admitted);
          for (const { key } of frozen) second.remove(key);
          await current().settle(second);
          const after = await current().withoutHistory();
          await current().harness.clear();
          await current().settle(await startWith(others));
          expect(await current().withoutHistory()).toBe(after);
        },
      );
      await fc.assert(property, { numRuns: runs(100) });
    });

    test("what is settled is in force", async () => {
      const property = fc.asyncProperty(trial, async ({ given, policies, connections }) => {
        await current().harness.clear();
        const driver = await current().start();
        driver.seeWorld(given);
        const admitted = applyAdmitted(driver, policies);
        expect(new Set(await current().settle(driver))).toEqual(new Set(admitted.map(({ key }) => key)));
        await expectVerdicts(connections, given, admitted);
      });
      await fc.assert(property, { numRuns: runs(200) });
    });

    test("what the backend cannot say it refuses when asked, and never throws", async () => {
      const property = fc.asyncProperty(anyPolicy(fc.constant("one")), world, async (policy, given) => {
        await current().harness.clear();
        const driver = await current().start();
        driver.seeWorld(given);
        const refusals = driver.backend.admit(policy);
        expect(driver.backend.admit(policy)).toEqual(refusals);
        for (const { code, message } of refusals) {
          expect(problemCodes).toContain(code);
          expect(message).toMatch(/[^.\s]$/);
        }
        if (refusals.length > 0) return;
        driver.apply(policy);
        expect(await current().settle(driver)).toEqual([policy.key]);
        driver.remove(policy.key);
        await current().settle(driver);
      });
      await fc.assert(property, { numRuns: runs(200) });
    });

    test("a value that no backend knows is refused, not written and not thrown", async () => {
      const { backend } = await current().start();
      for (const policy of unknownPolicies()) {
        expect(backend.admit(policy)).not.toEqual([]);
      }
    });
  });
}

/** As a dialect of the future would compile them, past the types of today. */
function unknownPolicies(): readonly Policy[] {
  const [base] = fc.sample(
    plainPolicy(fc.constant("one")).filter(({ rules }) => rules.ingress.length > 0),
    { numRuns: 1, seed: 1 },
  );
  const [rule] = base?.rules.ingress ?? [];
  if (base === undefined || rule === undefined) throw new Error("no policy with a rule");
  const unknown = { kind: "ofTheFuture" };
  const withRule = (change: object): unknown => ({
    ...base,
    rules: { ...base.rules, ingress: [{ ...rule, ...change }] },
  });
  const same = { kind: "sameNamespaces", keys: [], pods: everything };
  return [{ peers: [unknown] }, { ports: [unknown] }, { peers: [same] }, { action: "ofTheFuture" }].map(
    (change) => withRule(change) as Policy,
  );
}
