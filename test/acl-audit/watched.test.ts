// What --observe adds to rows, in random worlds and without a database: the rows of policies are those without it, and with what
// watches connections every verdict of the rows is still the policies'.

import { describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { AskedRows } from "../../src/nbdb/tools/answers.ts";
import { everyDialect } from "../../src/dialects.ts";
import { AskedWorld } from "../../src/explain/asked.ts";
import { explain } from "../../src/explain/explain.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { databaseRows, readRecords } from "../../src/nbdb/audit/index.ts";
import type { SampledTables, Tables } from "../../src/nbdb/rows/records.ts";
import { idOf } from "../../src/nbdb/rows/records.ts";
import { offlineModel, sampledTablesOf } from "../../src/nbdb/tools/rendered.ts";
import type { TierLayout } from "../../src/policy/contracts/tier-layout.ts";
import { stack } from "../../src/policy/contracts/tier-layout.ts";
import { withOwnNetworkPolicies } from "../proof/own-network-policies.ts";
import { probesOf } from "../proof/packets.ts";
import type { ProofWorld } from "../proof/worlds.ts";
import { proofWorld } from "../proof/worlds.ts";
import { patience } from "../support/patience.ts";
import { questionOf } from "./question-of.ts";

jest.setTimeout(patience(120_000));

const mode = { zone: null, namedPorts: "list" } as const;
const sampling = { setId: 79, probability: 65_535 };

function modelOf(objects: readonly WorldObject[], tierLayout: TierLayout, watches: boolean | null) {
  const observed = watches === null ? {} : { sampling, watches };
  return offlineModel({
    ...{ objects, dialects: everyDialect.dialects, families: null },
    mode: { ...mode, tierLayout, ...observed },
  });
}

function sampled(model: ReturnType<typeof modelOf>): SampledTables {
  const tables = sampledTablesOf(model);
  if (!("Sample" in tables)) throw new Error("ACLs are not sampled");
  return tables;
}

/** The rows of policies alone. */
function ofPolicies({ Port_Group, Address_Set, ACL }: SampledTables): Tables {
  const isTheirs = (row: Parameters<typeof idOf>[0]) => !(idOf(row) ?? "").includes(":NorthgateSampling:");
  return {
    Port_Group: Port_Group.filter(isTheirs),
    Address_Set,
    ACL: ACL.filter(isTheirs).map(({ sample_new, sample_est, ...acl }) => {
      expect(sample_est).toBe(sample_new);
      return acl;
    }),
  };
}

/** As `--nb file:` reads them. */
function existing(tables: object) {
  const read = readRecords(JSON.stringify(tables));
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return databaseRows(read.records);
}

describe.each<readonly [string, TierLayout]>([
  ["three tiers", "threeTiers"],
  ["one stack", stack],
])("%s", (_, tierLayout) => {
  test("rows with samples are the rows without but for their columns, and decide the same where they watch", () => {
    let decided = 0;
    let unjudged = 0;
    fc.assert(
      fc.property(fc.oneof(proofWorld, withOwnNetworkPolicies(proofWorld)), (world: ProofWorld) => {
        const without = modelOf(world.objects, tierLayout, null).tables();
        expect(ofPolicies(sampled(modelOf(world.objects, tierLayout, false)))).toEqual(without);
        const model = modelOf(world.objects, tierLayout, true);
        const tables = sampled(model);
        expect(ofPolicies(tables)).toEqual(without);
        expect(new Set(tables.Sample.map(({ metadata }) => metadata)).size).toBe(tables.ACL.length);
        // Every pod that a policy selects, and no other.
        const [watched] = tables.Port_Group.filter(
          (row) => idOf(row)?.includes(":NorthgateSampling:") === true,
        );
        const groups = without.Port_Group.filter((row) => !/:NorthgateNode(First)?:/.test(idOf(row) ?? ""));
        const selected = new Set(groups.flatMap(({ ports }) => ports));
        expect(watched?.ports ?? []).toEqual([...selected].sort());
        expect(watched?.acls ?? []).toHaveLength(groups.length === 0 ? 0 : 2);

        const rows = new AskedRows(existing(tables), model);
        const asked = new AskedWorld(model, { dialects: everyDialect.dialects, placeOf: () => null });
        expect(rows.differences).toEqual([]);
        for (const probe of probesOf(world, 100)) {
          const question = questionOf(probe);
          if (question === null) continue;
          const answer = explain(asked, question, { isDetailed: false });
          const { verdict, agrees } = rows.answer(answer);
          expect({ question, agrees }).toEqual({ question, agrees: true });
          if (answer.verdict === "unknown") continue;
          expect({ question, verdict }).toEqual({ question, verdict: answer.verdict });
          const sides = [answer.egress, answer.ingress];
          if (sides.some((side) => side?.by === "rule" || side?.by === "isolation")) decided++;
          else unjudged++;
        }
      }),
      { numRuns: 15, includeErrorInReport: true },
    );
    expect(decided).toBeGreaterThan(100);
    expect(unjudged).toBeGreaterThan(50);
  });
});
