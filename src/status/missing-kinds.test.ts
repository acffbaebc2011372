// A missing CRD is told once, with how many policies' rows stand, for as long as it is missing; and only then.

import { expect, test } from "@jest/globals";
import { everyDialect, policies } from "../dialects.ts";
import type { ObjectKind } from "../model/object.ts";
import { LineLogger } from "../../test/support/scripted-api.ts";
import { MissingKinds } from "./missing-kinds.ts";

const [kind, other] = policies;
if (kind === undefined || other === undefined) throw new Error("there are two");
const crd = "adminnetworkpolicies.policy.networking.k8s.io";

function reviewing(rows: number | null) {
  const logger = new LineLogger();
  const world: { missing: readonly ObjectKind[]; rows: number | null; counted: number } = {
    missing: [],
    rows,
    counted: 0,
  };
  const kinds = new MissingKinds({
    missing: () => world.missing,
    existing: () => {
      world.counted++;
      return world.rows;
    },
    logger,
  });
  return { world, kinds, logger };
}

test("rows of a missing kind are told once, and no more when it is back", () => {
  const { world, kinds, logger } = reviewing(3);
  kinds.review();
  expect([kinds.lines(), kinds.count(kind), world.counted]).toEqual([[], 0, 0]);
  world.missing = [kind];
  for (let n = 0; n < 3; n++) kinds.review();
  expect(logger.lines).toEqual([
    {
      text: "the API server does not serve a kind, and the rows of its policies are kept",
      fields: {
        crd,
        policies: 3,
        remedy: "install the CRD and its policies again; --allow-empty removes the rows",
      },
    },
  ]);
  expect(kinds.lines()).toEqual([
    `the CRD ${crd} is missing: rows of 3 policies stay as they are (--allow-empty removes them)`,
  ]);
  expect([kinds.count(kind), kinds.count(other), world.counted]).toEqual([3, 0, 1]);
  world.missing = [];
  kinds.review();
  expect([kinds.lines(), kinds.count(kind)]).toEqual([[], 0]);
});

test("nothing is told before the database is there, nor of a kind without rows", () => {
  const { world, kinds, logger } = reviewing(null);
  world.missing = [kind];
  kinds.review();
  expect([kinds.lines(), logger.lines]).toEqual([[], []]);
  world.rows = 0;
  kinds.review();
  expect([kinds.lines(), logger.lines]).toEqual([[], []]);
});

test("namesakes of two groups are counted apart", () => {
  const namesakes = everyDialect.policies.filter(({ kind: name }) => name === "ClusterNetworkPolicy");
  expect(namesakes).toHaveLength(2);
  const { world, kinds } = reviewing(0);
  for (const missing of namesakes) {
    world.missing = [missing];
    world.rows = 2;
    kinds.review();
    expect(namesakes.map((one) => kinds.count(one))).toEqual(
      namesakes.map((one) => (one === missing ? 2 : 0)),
    );
    world.missing = [];
    kinds.review();
  }
});
