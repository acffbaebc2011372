// After any sequence of changes of the objects, the server and the connections, the store holds what the server holds,
// and so does a reader that got only keys.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { eventually } from "../../../test/support/eventually.ts";
import type { ApiObject, Fault, Stream } from "../../../test/support/fake-api-server.ts";
import { adminNetworkPolicies, FastWorld, pods, policy } from "../../../test/support/kube-world.ts";
import { ProtobufForms } from "../../../test/support/protobuf/served.ts";
import { keyOf } from "../../model/object.ts";
import { parsePolicyObject } from "../../informers/objects/object.ts";
import { parsePod } from "../../informers/objects/pod.ts";

const collections = [pods, adminNetworkPolicies] as const;

const object = (collection: string, name: string, value: number): ApiObject =>
  collection === pods
    ? { metadata: { name, namespace: "n", labels: { value: String(value) } }, spec: {}, status: {} }
    : policy(name, value);

const collection = fc.constantFrom(...collections);
const name = fc.constantFrom("a", "b", "c");
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault>("reset", "half"),
  fc.constantFrom(403, 404, 410, 429, 500).map((status) => ({ status })),
);

const change = fc.oneof(
  fc.record({ do: fc.constant("put" as const), collection, name, value: fc.nat(2) }),
  fc.record({ do: fc.constant("remove" as const), collection, name }),
);

const step = fc.oneof(
  { weight: 10, arbitrary: change },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("fail" as const),
      fault,
      requests: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 5, 20) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "cut" as const,
        "end" as const,
        "freeze" as const,
        "bookmark" as const,
        "error" as const,
      ),
      collection,
    }),
  },
);

async function play(
  world: FastWorld,
  steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
) {
  const { server } = world;
  const faults: Fault[] = [];
  server.fault = () => faults.shift() ?? null;
  for (const one of steps) {
    if (one.do === "put") server.put(one.collection, object(one.collection, one.name, one.value));
    else if (one.do === "remove") server.remove(one.collection, object(one.collection, one.name, 0));
    else if (one.do === "compact") server.compact();
    else if (one.do === "fail") faults.push(...Array<Fault>(one.requests).fill(one.fault));
    else if (one.do === "wait") await new Promise((resolve) => setTimeout(resolve, one.ms));
    else for (const stream of server.streams(one.collection)) disturb(stream, one.do);
  }
  faults.length = 0;
}

function disturb(stream: Stream, what: "cut" | "end" | "freeze" | "bookmark" | "error"): void {
  if (what === "error") stream.error(500);
  else stream[what]();
}

/** The server's objects, as facts. */
function truth({ server }: FastWorld) {
  const kind = {
    group: "policy.networking.k8s.io",
    version: "v1alpha1",
    kind: "AdminNetworkPolicy",
    resource: "",
    namespaced: false,
  };
  const facts = [
    ...server.objects(pods).map((value) => parsePod(value).object!),
    ...server.objects(adminNetworkPolicies).map((value) => parsePolicyObject(value, kind).object!),
  ];
  return new Map(facts.map((fact) => [keyOf(fact), fact]));
}

test.each([
  ["JSON", null],
  ["protobuf", new ProtobufForms()],
])("after any faults the store equals the server, and goes on to, as %s", async (_, protobuf) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 30, maxLength: 60 }),
      fc.array(change, { minLength: 5, maxLength: 15 }),
      async (steps, changes) => {
        const timing = { progressMs: 60_000, pageSize: 2, maxBackoffMs: 4_000 };
        const world = await FastWorld.open(timing, undefined, protobuf);
        const equal = () =>
          eventually(() => {
            expect(world.mirror).toEqual(truth(world));
          });
        // As real servers do; without bookmarks, streams that seem dead would cause lists again and again.
        const ticking = setInterval(() => {
          for (const stream of world.server.streams()) stream.bookmark();
        }, 20);
        try {
          world.start();
          await play(world, steps);
          await world.synced();
          await equal();
          // Frozen streams are closed by now, so that later changes can arrive by watches only.
          await new Promise((resolve) => setTimeout(resolve, 450));
          const lists = world.source.resources.map(({ stats }) => stats.lists);
          await play(world, changes);
          await equal();
          expect(world.source.resources.map(({ stats }) => stats.lists)).toEqual(lists);
        } finally {
          clearInterval(ticking);
          await world.close();
        }
      },
    ),
    { numRuns: 20, endOnFailure: true },
  );
});
