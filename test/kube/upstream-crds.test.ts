// Our definitions of the three kinds against those that the project of the API publishes, taken from its own module at run
// time: two API servers, one with each, are given the same objects, and must take, fill in and refuse the same, and name
// the same fields.

import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { eventually } from "../support/eventually.ts";
import { tries } from "../support/length.ts";
import { patience } from "../support/patience.ts";
import { type Upstream, upstreamOrSkip } from "../support/upstream.ts";
import { ApiError, type KubernetesObject } from "./api.ts";
import { collectionOf, create, each, pathOf, remove } from "./bulk.ts";
import { everyNamespace } from "./case.ts";
import { clusterCases } from "./cluster-policy-cases.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { established, installCrds, type Plural } from "./crds.ts";
import { adminPolicy, baselinePolicy, clusterPolicy } from "./objects.ts";
import { adminOnly, baselineOnly, shared } from "./policy-cases.ts";
import { type Schema, schemaCases } from "./schema-cases.ts";
import { describeWithControlPlane } from "./support.ts";
import { skippedGroup } from "../support/skipped-group.ts";

const slow = patience(300_000);
type Channel = "experimental" | "standard";

interface Kind {
  readonly plural: Plural;
  readonly api: keyof Upstream;
  readonly policy: (spec: unknown) => KubernetesObject;
  /** Specs that people thought of. */
  readonly specs: readonly object[];
}

const specsOf = (cases: readonly { readonly spec: object }[], more: object) =>
  cases.map(({ spec }) => ({ subject: everyNamespace, ...more, ...spec }));

const kinds: readonly Kind[] = [
  {
    plural: "adminnetworkpolicies",
    api: "v1alpha1",
    policy: (spec) => adminPolicy("a", spec),
    specs: specsOf([...shared, ...adminOnly], { priority: 10 }),
  },
  {
    plural: "baselineadminnetworkpolicies",
    api: "v1alpha1",
    policy: (spec) => baselinePolicy(spec),
    specs: specsOf([...shared, ...baselineOnly], {}),
  },
  {
    plural: "clusternetworkpolicies",
    api: "v1alpha2",
    policy: (spec) => clusterPolicy("a", spec),
    specs: specsOf(clusterCases, { tier: "Admin", priority: 10 }),
  },
];

/** What a server made of an object: what it would store, or which fields it refuses, for which reasons. */
type Outcome =
  { readonly stored: unknown } | { readonly status: number; readonly refused: readonly string[] };

const inFlight = 16;

/** Of the cases made from the schemas a run tries a part; over some runs, all. `CRD_CASES=all` tries all in one. */
const every = process.env["CRD_CASES"] === "all" ? 1 : tries(3, 9);
const first = Number(process.env["SEED"] ?? randomInt(1_000_000)) % every;

function chosen(cases: readonly unknown[]): readonly unknown[] {
  return cases.filter((_, at) => at % every === first);
}

const upstream = await upstreamOrSkip();

if (upstream === null) skippedGroup("the CRDs beside upstream's", "needs upstream's module");
else
  await describeWithControlPlane("the CRDs beside upstream's", (ours) => {
    let theirs: ControlPlane | null = null;
    const other = (): ControlPlane => {
      if (theirs === null) throw new Error("there is another control plane only while tests run");
      return theirs;
    };

    const fileOf = ({ api, plural }: Kind, channel: Channel) =>
      join(upstream[api], "config", "crd", channel, `policy.networking.k8s.io_${plural}.yaml`);

    /** Upstream's definitions of this channel, in force on the other server. */
    async function installUpstream(channel: Channel): Promise<void> {
      const files = kinds.flatMap((kind) => ["-f", fileOf(kind, channel)]);
      await other().kubectl(["apply", "--server-side", ...files]);
      await established(other(), files);
      // An API server takes a changed definition into use a little after it is stored.
      const byNodes = { action: "Deny", to: [{ nodes: {} }] };
      for (const kind of kinds) {
        const probe = kind.policy({ ...goodSpec(kind), egress: [byNodes] });
        await eventually(async () => {
          expect("stored" in (await tried(other(), probe, "Strict"))).toBe(channel === "experimental");
        }, 30_000);
      }
    }

    beforeAll(async () => {
      theirs = await startControlPlane();
      await installCrds(ours());
      await installUpstream("experimental");
    }, slow);

    afterAll(async () => {
      await theirs?.stop();
    }, slow);

    /** Of two definitions' schemas every case; each once. */
    function corpus(kind: Kind): readonly unknown[] {
      const files = [ourFile(kind), fileOf(kind, "experimental"), fileOf(kind, "standard")];
      const generated = distinct(files.flatMap((file) => [...schemaCases(part(schemaIn(file), "spec"))]));
      return distinct([...kind.specs, ...chosen(generated)]);
    }

    test.each(kinds)(
      "$plural: of the experimental channel, all is taken, filled in and refused alike",
      async (kind) => {
        const specs = corpus(kind);
        const results = await each(specs, inFlight, async (spec) => {
          const [here, there] = await Promise.all([
            tried(ours(), kind.policy(spec), "Ignore"),
            tried(other(), kind.policy(spec), "Ignore"),
          ]);
          return { spec, here, there };
        });
        const taken = results.filter(({ there }) => "stored" in there).length;
        report(`${kind.plural}: ${results.length} objects (SEED=${first}), ${taken} taken`);
        // The corpus reaches both sides of what it tries.
        expect(taken).toBeGreaterThan(tries(150, 100));
        expect(results.length - taken).toBeGreaterThan(600 / every);
        expect(results.filter(({ here, there }) => !same(here, there))).toEqual([]);
      },
      slow,
    );

    test.each(kinds)(
      "$plural: names and statuses are taken and refused alike",
      async (kind) => {
        const good = kind.policy(goodSpec(kind));
        for (const name of ["default", "other", "a.b", "A", "-a", "a".repeat(254)]) {
          const named = { ...good, metadata: { name } };
          expect(await tried(ours(), named, "Ignore")).toEqual(await tried(other(), named, "Ignore"));
        }
        const planes = [ours(), other()];
        const stored = await Promise.all(planes.map((plane) => create(plane.api, good)));
        const files = [ourFile(kind), fileOf(kind, "experimental")];
        const cases = distinct(files.flatMap((file) => [...schemaCases(part(schemaIn(file), "status"))]));
        const results = await each(cases, inFlight, async (status) => {
          const outcomes = planes.map((plane, at) => triedStatus(plane, stored[at] ?? good, status));
          const [here, there] = await Promise.all(outcomes);
          return { status, here, there };
        });
        expect(results.length).toBeGreaterThan(100);
        expect(results.filter(({ here, there }) => !same(here, there))).toEqual([]);
        await Promise.all(planes.map((plane) => remove(plane.api, good)));
      },
      slow,
    );

    test(
      "the documented install leaves upstream's definitions as they are",
      async () => {
        const stored = () => other().kubectl(["get", "crd", "-o", "json"]).then(specsOfList);
        const before = await stored();
        expect(before).toHaveLength(kinds.length);
        await expect(other().kubectl(["create", "-k", "manifests/crds"])).rejects.toThrow("AlreadyExists");
        expect(await stored()).toEqual(before);
      },
      slow,
    );

    // The last one: the other server has the standard channel from here on.
    describe("and those of the standard channel", () => {
      beforeAll(() => installUpstream("standard"), slow);

      test.each(kinds)(
        "$plural: what they take whole ours take as it is, but for a named port to networks",
        async (kind) => {
          const results = await each(corpus(kind), inFlight, async (spec) => {
            const there = await tried(other(), kind.policy(spec), "Strict");
            const here = "stored" in there ? await tried(ours(), kind.policy(spec), "Strict") : there;
            return { spec, here, there };
          });
          expect(results.filter(({ there }) => "stored" in there).length).toBeGreaterThan(100 / every);
          const differing = results.filter(({ here, there }) => !same(here, there));
          // Their guard against it is in the experimental channel alone; our reader refuses the object anyway.
          const guarded = differing.filter(({ here }) => "refused" in here && here.refused.every(isGuard));
          expect(differing).toEqual(guarded);
          expect(guarded.length > 0).toBe(kind.plural === "clusternetworkpolicies");
        },
        slow,
      );
    });
  });

function isGuard(cause: string): boolean {
  return /^FieldValueInvalid spec\.egress\[\d+\]$/.test(cause);
}

function goodSpec(kind: Kind): object {
  return kind.specs[0] ?? {};
}

async function tried(plane: ControlPlane, object: KubernetesObject, validation: string): Promise<Outcome> {
  const path = `${collectionOf(object)}?dryRun=All&fieldValidation=${validation}`;
  return outcome(async () => (await plane.api.object("POST", path, { body: object })).spec);
}

async function triedStatus(plane: ControlPlane, stored: KubernetesObject, status: unknown): Promise<Outcome> {
  const path = `${pathOf(stored)}/status?dryRun=All`;
  return outcome(async () => (await plane.api.object("PUT", path, { body: { ...stored, status } })).status);
}

async function outcome(ask: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { stored: await ask() };
  } catch (error) {
    if (error instanceof ApiError && [400, 422].includes(error.status))
      return { status: error.status, refused: causesIn(error.answer) };
    throw error;
  }
}

/** Each cause's reason and field. */
function causesIn(answer: string): readonly string[] {
  const { details } = JSON.parse(answer) as {
    details?: { causes?: readonly { reason?: string; field?: string }[] };
  };
  const causes = details?.causes ?? [];
  return causes.map(({ reason, field }) => `${reason ?? ""} ${field ?? ""}`).sort();
}

function same(here: Outcome | undefined, there: Outcome | undefined): boolean {
  return JSON.stringify(here) === JSON.stringify(there);
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function ourFile({ plural }: Kind): string {
  return fileURLToPath(new URL(`../../manifests/crds/${plural}.yaml`, import.meta.url));
}

function schemaIn(file: string): Schema {
  const crd = parse(readFileSync(file, "utf8")) as {
    spec: { versions: readonly [{ schema: { openAPIV3Schema: Schema } }] };
  };
  return crd.spec.versions[0].schema.openAPIV3Schema;
}

function part(schema: Schema, name: string): Schema {
  const found = schema.properties?.[name];
  if (found === undefined) throw new Error(`a definition without ${name}`);
  return found;
}

function specsOfList(text: string): readonly unknown[] {
  const { items } = JSON.parse(text) as {
    items: readonly { metadata: { annotations: unknown }; spec: unknown }[];
  };
  return items.map(({ metadata, spec }) => [metadata.annotations, spec]);
}

function report(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
