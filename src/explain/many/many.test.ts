// Questions about many ends: over random worlds each pair of ends is in exactly one group, with the verdict and the sides of a question
// about that pair alone.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { answered, worldOf } from "../../../test/support/asked-world.ts";
import { workload } from "../../../test/support/facts.ts";
import type { IrWorld } from "../../../test/support/ir.ts";
import { declaring, irPolicies, irWorlds } from "../../../test/support/ir.ts";
import { np } from "../../../test/support/policies.ts";
import { untilSeen } from "../../../test/support/until-seen.ts";
import { NoSuchEnd, textOfWorkload } from "../../analysis/end-query.ts";
import { unreadNamespace } from "../../unknowns/namespaces.ts";
import { contains } from "../../model/cidr.ts";
import { FactStore } from "../../model/fact-store.ts";
import { parseIp } from "../../model/ip.ts";
import type { Workload } from "../../model/workload.ts";
import { workloadKey } from "../../model/workload.ts";
import { objectKey } from "../../model/object.ts";
import type { Policy } from "../../policy/ir.ts";
import type { AnsweredEnds, ManyAnswer } from "../answer.ts";
import { AskedWorld } from "../asked.ts";
import { explain, explainAny } from "../explain.ts";
import type { Question } from "../question.ts";

const brief = { isDetailed: false };

function many(asked: AskedWorld, question: Question): ManyAnswer {
  const told = explainAny(asked, question, brief);
  if (!("groups" in told)) throw new Error("one end alone");
  return told;
}

/** An end of its own, by a text that names it alone. */
interface One {
  readonly text: string;
  readonly isIn: (ends: AnsweredEnds) => boolean;
  readonly isAddress: boolean;
}

interface Drawn {
  readonly asked: AskedWorld;
  readonly pods: readonly One[];
  readonly addresses: readonly One[];
}

/** Every third pod is not there yet. */
function drawnOf({ world, pods }: IrWorld, policies: readonly Policy[], isUnread: boolean): Drawn {
  const facts = new FactStore();
  const there = pods.filter((_, at) => at % 3 !== 0);
  const namespaces = [...world.namespaces.values()].map((one, at) =>
    isUnread && at === 0 ? unreadNamespace(one.name) : one,
  );
  for (const fact of [...namespaces, ...world.nodes, ...world.hostNames, ...there]) facts.put(fact);
  const workloads = pods
    .filter((_, at) => at % 3 === 0)
    .map(({ namespace, name, labels, serviceAccount, hostNetwork, ports }): Workload =>
      workload(namespace, name, { labels: Object.fromEntries(labels), serviceAccount, hostNetwork, ports }),
    );
  const asked = new AskedWorld(
    { facts, records: () => [], policies: () => policies },
    { dialects: [], placeOf: () => null, workloads },
  );
  const ips = ["10.0.0.9", "10.0.0.12", "10.0.0.15", "198.51.100.7"].flatMap((text) => parseIp(text) ?? []);
  return {
    asked,
    pods: [
      ...there.map(({ namespace, name }) => ({
        ...{ text: `${namespace}/${name}`, isAddress: false },
        isIn: ({ pods: own }: AnsweredEnds) => own.includes(`${namespace}/${name}`),
      })),
      ...workloads.map((one) => ({
        ...{ text: textOfWorkload(one), isAddress: false },
        isIn: (ends: AnsweredEnds) =>
          ends.workloads.some((ref) => objectKey(ref, ref.namespace, ref.name) === workloadKey(one)),
      })),
    ],
    addresses: ips.map((ip) => ({
      ...{ text: ip, isAddress: true },
      isIn: (ends: AnsweredEnds) => ends.addresses.some((one) => contains(one, ip)),
    })),
  };
}

const questions = [
  ["*/*", "*/*"],
  ["*/*", "10.0.0.8/29"],
  ["0.0.0.0/0", "*/*"],
] as const;

test("each pair is in one group, with its verdict and its deciders", () => {
  const seen = { pairs: 0, groups: 0, allow: 0, deny: 0, unknown: 0, mixed: 0 };
  untilSeen(seen, (times) => {
    fc.assert(
      fc.property(irWorlds.map(declaring), irPolicies, fc.boolean(), (drawn, policies, isUnread) => {
        const { asked, pods, addresses } = drawnOf(drawn, policies, isUnread);
        for (const [from, to] of questions) {
          const traffic = { protocol: "tcp", port: 80 } as const;
          const told = many(asked, { from, to, ...traffic });
          seen.groups += told.groups.length;
          if (told.verdict === "mixed") seen.mixed++;
          const froms = from === "*/*" ? pods : addresses;
          const tos = to === "*/*" ? pods : addresses.filter(({ text }) => text !== "198.51.100.7");
          const pairs = froms.flatMap((one) => tos.map((other) => [one, other] as const));
          // Two pods of one workload are two.
          for (const [one, other] of pairs.filter(
            ([a, b]) => a.text !== b.text || a.text.includes("/deploy/"),
          )) {
            const found = told.groups.filter((group) => one.isIn(group.from) && other.isIn(group.to));
            const alone = explain(asked, { from: one.text, to: other.text, ...traffic }, brief);
            expect(found.map(({ verdict, egress, ingress }) => [verdict, egress, ingress])).toEqual([
              [alone.verdict, alone.egress, alone.ingress],
            ]);
            seen.pairs++;
            seen[alone.verdict]++;
          }
        }
      }),
      { numRuns: times * 20 },
    );
  });
  expect(seen.groups).toBeLessThan(seen.pairs);
});

describe("sets of ends", () => {
  const api = workload("blue", "api", { labels: { app: "api" } });
  const asked = worldOf(
    [np("closed", { podSelector: { matchLabels: { app: "web" } }, ingress: [] }, "red")],
    {
      workloads: [api],
    },
  );
  const ask = (question: Partial<Question>) =>
    many(asked, { from: "blue/[app]", to: "red/web", protocol: "tcp", port: 80, ...question });

  test("one verdict of all, or mixed", () => {
    const all = ask({});
    expect([all.verdict, all.groups.map(({ verdict }) => verdict)]).toEqual(["deny", ["deny"]]);
    // A pod and a workload of both families are asked about in IPv4, a pod of IPv6 alone in IPv6.
    expect(all.groups[0]?.from).toMatchObject({
      pods: ["blue/db-0", "blue/six"],
      workloads: [{ name: "api" }],
    });
    expect(ask({ to: "*/*" }).verdict).toBe("mixed");
  });

  test("a port by name is that of each destination; what has none is left out", () => {
    const told = ask({ to: "*/*", port: "http" });
    expect(told.groups.map(({ to, port }) => [to.pods, port])).toEqual([[["red/web"], 8080]]);
    expect(() => ask({ to: "blue/[app]", port: "http" })).toThrow(NoSuchEnd);
  });

  test("a single end has the answer that it always had", () => {
    expect(answered([], { from: "red/[app=web]" })).toMatchObject({
      verdict: "allow",
      from: { pod: "red/web" },
    });
    expect(
      explainAny(asked, { from: "internet", to: "red/web", protocol: "tcp", port: 80 }, brief),
    ).toMatchObject({
      verdict: "deny",
      groups: [{ from: { pods: [], workloads: [] }, to: { pods: ["red/web"] } }],
    });
  });
});
