// What the product makes of Calico's manifests, without a database: the meaning of its compiled policies and what `explain` says,
// packet by packet, held against the judge that reads the manifests by itself. The worlds are others in each run, and the same ones
// with `SEED=`; a failure prints the smallest world that shows it.

import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import type { Connection } from "../../../src/policy/evaluate.ts";
import { account, cluster, gnp, podOf } from "../../oracle/calico/build.ts";
import type { Manifest } from "../../oracle/calico/manifests.ts";
import { noBackend, OfflineModel } from "../../../src/offline/model.ts";
import { patience } from "../../support/patience.ts";
import { explainedOf } from "../explained.ts";
import type { Opinion } from "../judges.ts";
import { meaningOfPolicies, opinionText, sameOpinion } from "../judges.ts";
import { probesOf, probeText } from "../packets.ts";
import { panel } from "../panel.ts";
import { calicoMeaning, calicoWords } from "./meaning.ts";
import type { CalicoWorld } from "./worlds.ts";
import { calicoInstalled, calicoWorld, calicoWorlds } from "./worlds.ts";

jest.setTimeout(patience(600_000));

const worlds = 24;
const connectionsPerWorld = 250;
/** A database has room for fewer; the meaning has no such bound. */
const passing = 5;
const faultsTold = 5;

/** Types and codes of ICMP that rules name and that they do not, beside the echo that a connection is by itself. */
const icmps = [[3, 4], [3, 1], [1, 4], [13, 0], [8, 0], [128, 0], [128, 1], null] as const;

const longName = "a".repeat(63);

const { dialects } = calicoInstalled;
const tally = { connections: 0, dropped: 0, ruled: 0 };

test(`policies mean what their manifests say, in ${worlds} random worlds`, () => {
  fc.assert(
    fc.property(calicoWorlds({ passing }), (world) => {
      const faults = faultsIn(world);
      if (faults.length > 0) throw new Error(faults.slice(0, faultsTold).join("\n"));
    }),
    { numRuns: worlds, seed: panel.seed, includeErrorInReport: true },
  );
});

// Over connections that meet no rule, or that all pass, agreement would say nothing.
test("and many of the connections met a rule, and about half were dropped", () => {
  expect(tally.connections).toBeGreaterThan(worlds * 100);
  expect(tally.ruled / tally.connections).toBeGreaterThan(0.4);
  expect(tally.dropped / tally.connections).toBeGreaterThan(0.3);
  expect(tally.dropped / tally.connections).toBeLessThan(0.8);
});

/** What random worlds seldom hold. */
const rare: Readonly<Record<string, readonly Manifest[]>> = {
  "the name of a service account is no label when it is as long as 63 characters": [
    account("bare", longName),
    podOf("bare", "long", { labels: {}, ips: ["10.0.2.9"], account: longName }),
    gnp("g", {
      ingress: [{ action: "Deny", source: { selector: "has(projectcalico.org/serviceaccount)" } }],
    }),
  ],
};

test.each(Object.entries(rare))("%s", (_, manifests) => {
  expect(faultsIn(calicoWorld([...cluster, ...manifests], 1))).toEqual([]);
});

function faultsIn(world: CalicoWorld): readonly string[] {
  const hearing = { installed: dialects, words: calicoWords };
  const meant = calicoMeaning(world);
  const voices = {
    policies: meaningOfPolicies(policiesOf(world), world.objects, null, calicoWords),
    explain: explainedOf(world.objects, hearing),
  };
  return probesOf(world, connectionsPerWorld).flatMap((probe, at) => {
    const connection = varied(probe.connection, at);
    const expected = meant.opinion(connection);
    if (expected === null) throw new Error("the judge always tells");
    count(expected);
    return Object.entries(voices).flatMap(([name, voice]) => {
      const said = voice.opinion(connection);
      if (said !== null && sameOpinion(expected, said)) return [];
      const text = said === null ? "cannot tell" : opinionText(said);
      const icmp = JSON.stringify(connection.icmp ?? {});
      return [`${probeText(probe)} ${icmp}\n  manifests: ${opinionText(expected)}\n  ${name}: ${text}`];
    });
  });
}

/** In force as written: nothing refused, and no rule closed. */
function policiesOf({ objects }: CalicoWorld) {
  const model = new OfflineModel({ dialects, families: null, backend: () => noBackend });
  model.observe(objects);
  const errors = [...model.records()].flatMap(({ problems }) =>
    problems.filter(({ severity }) => severity === "error"),
  );
  if (errors.length > 0) throw new Error(`the generator made what is refused: ${JSON.stringify(errors)}`);
  return model.policies();
}

function varied(connection: Connection, at: number): Connection {
  const icmp = icmps[at % icmps.length] ?? null;
  if (connection.protocol !== "icmp" || icmp === null) return connection;
  return { ...connection, icmp: { type: icmp[0], code: icmp[1] } };
}

function count({ verdict, rules }: Opinion): void {
  tally.connections++;
  if (verdict === "drop") tally.dropped++;
  if (rules.some((rule) => !rule.startsWith("the end of a tier"))) tally.ruled++;
}
