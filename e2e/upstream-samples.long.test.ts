// Upstream's own sample policies, of both APIs, as its Go module has them: `kubectl apply` on a real API server, the program
// on a real OVN. Each policy's condition, its rows against those of a fresh start, and OVN's verdict on packets against what
// the policies mean. What the API server or a documented limit refuses is named.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { dialects } from "../src/dialects.ts";
import { isNode, isPod } from "../src/model/object.ts";
import { noBackend, OfflineModel } from "../src/offline/model.ts";
import { type Judgement, judge } from "../src/policy/evaluate.ts";
import { applyCni } from "../tools/sandbox/cni.ts";
import { openTracer, parseErrors } from "../tools/sandbox/trace.ts";
import { type Upstream, type UpstreamApi, upstreamOrSkip } from "../test/support/upstream.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { say } from "./harness.ts";
import { ready } from "./policies.ts";
import { type Question, questions, samplesOf, worldOf } from "./upstream-world.ts";
import { skippedGroup } from "../test/support/skipped-group.ts";

/** Samples that are no policies of a present API: what kubectl or the API server says. All others are taken. */
const refused: Readonly<Record<UpstreamApi, Readonly<Record<string, RegExp>>>> = {
  v1alpha1: {
    "config/samples/batch_v1alpha1_baselineadminnetworkpolicy.yaml": /no matches for kind/,
    "config/samples/policy.networking.k8s.io_v1alpha1_adminnetworkpolicy.yaml": /unknown field "spec\.foo"/,
    "config/samples/policy.networking.k8s.io_v1alpha1_baselineadminnetworkpolicy.yaml":
      /unknown field "spec\.foo"/,
    // The shape before v0.1.3.
    "site-src/user-story-examples/user-story-1.yaml": /unknown field .*namespaces\.namespaceSelector/,
    "site-src/user-story-examples/user-story-2.yaml": /unknown field .*namespaces\.namespaceSelector/,
    "site-src/user-story-examples/user-story-5.yaml": /unknown field .*namespaces\.namespaceSelector/,
    // No YAML.
    "site-src/user-story-examples/user-story-4-v1.yaml": /error (parsing|converting)/,
    "site-src/user-story-examples/user-story-4-v2.yaml": /error (parsing|converting)/,
  },
  v1alpha2: {
    "pkg/crdtest/testdata/invalid/invalid-ingress-action.yaml": /Unsupported value: "Invalid"|unknown field/,
  },
};
const kinds = "anp,banp,cnp";
const short: ReadonlyMap<string, string> = new Map([
  ["AdminNetworkPolicy", "anp"],
  ["BaselineAdminNetworkPolicy", "banp"],
  ["ClusterNetworkPolicy", "cnp"],
]);

/** Of a sample: those that matter, at even distances. */
const mostPackets = 150;

const upstream = await upstreamOrSkip();
if (upstream === null) skippedGroup("upstream's samples", "needs upstream's module");
else for (const api of ["v1alpha1", "v1alpha2"] as const) await describeSamples(api, upstream);

async function describeSamples(api: UpstreamApi, module: Upstream): Promise<void> {
  await describeEndToEnd(`upstream's samples of ${api}`, { northd: true, ports: false, kinds }, (harness) => {
    const samples = samplesOf(module, api);
    const refusals = refused[api];
    const counts = { samples: 0, policies: 0, packets: 0, denied: 0 };
    let asked: readonly Question[] = [];

    const apply = (text: string) => harness().plane.kubectl(["apply", "-f", "-"], { input: text });

    beforeAll(async () => {
      await harness().objects.apply(...worldOf(module, api));
      const world = await harness().now();
      const [pods, nodes] = [world.filter(isPod), world.filter(isNode)];
      await applyCni(harness().ovn, { pods, nodes });
      asked = questions(pods);
      harness().start();
    }, slow);

    afterAll(() => {
      const { packets, denied } = counts;
      say(
        `${api}: ${counts.samples} files, ${counts.policies} policies, ${packets} packets, ${denied} denied`,
      );
    });

    test("those that are refused are among them", () => {
      expect(samples.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(refusals)));
    });

    const good = samples.filter(({ name }) => refusals[name] === undefined);
    const bad = samples.filter(({ name }) => refusals[name] !== undefined);

    test.each(bad)("$name is refused", async ({ name, text }) => {
      await expect(apply(text)).rejects.toThrow(refusals[name]);
    });

    describe("those that are taken", () => {
      afterEach(async () => {
        // The rows go too, so that each sample comes to an empty database.
        await harness().plane.kubectl(["delete", kinds, "--all"]);
        await harness().converged();
      }, slow);

      test.each(good)(
        "$name: conditions, rows and packets",
        async ({ text }) => {
          await apply(text);
          const policies = policiesIn(text);
          for (const policy of policies) await ready(harness().plane, policy);
          await harness().converged();

          const model = new OfflineModel({ dialects, families: null, backend: () => noBackend });
          model.observe(await harness().now());
          expect(model.policies()).toHaveLength(policies.length);
          // The world makes every policy of the sample matter, if it stood alone.
          for (const policy of model.policies()) {
            const decides = ({ connection }: Question) =>
              stepsOf(judge(connection, model.facts, [policy])) > 0;
            expect([policy.key, asked.some(decides)]).toEqual([policy.key, true]);
          }

          const judged = asked.map((question) => ({
            ...question,
            judgement: model.judge(question.connection),
          }));
          expect(await parseErrors(harness().ovn)).toEqual([]);
          const tracer = await openTracer(harness().ovn);
          try {
            // What a rule decides or passes, and some of the rest.
            const matter = judged.filter(({ judgement }, at) => stepsOf(judgement) > 0 || at % 25 === 0);
            const chosen = matter.filter((_, at) => at % Math.ceil(matter.length / mostPackets) === 0);
            const wrong: unknown[] = [];
            for (const { packet, connection, judgement } of chosen) {
              const { verdict } = await tracer.verdict(packet);
              if (verdict !== (judgement.verdict === "allow" ? "allow" : "drop"))
                wrong.push({ connection, meant: judgement.verdict, verdict });
              counts.packets += 1;
              counts.denied += verdict === "drop" ? 1 : 0;
            }
            expect(wrong).toEqual([]);
          } finally {
            await tracer.close();
          }
          counts.samples += 1;
          counts.policies += policies.length;
        },
        slow,
      );
    });
  });
}

/** How many rules decide or pass the connection. */
function stepsOf({ egress, ingress }: Judgement): number {
  return egress.steps.length + ingress.steps.length;
}

/** As kubectl takes them: "cnp/name". A NetworkPolicy among them is not this program's. */
function policiesIn(text: string): readonly string[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as { kind: string; metadata: { name: string } })
    .flatMap(({ kind, metadata }) => {
      const word = short.get(kind);
      return word === undefined ? [] : [`${word}/${metadata.name}`];
    });
}
