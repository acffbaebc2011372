// The rights of manifests/base are what the program needs, and no more: as that service account it does all that it does, an API
// server's audit log says what it asked for, and each right by itself, down to the name of a CRD and the namespace of an event,
// allows something that no other does. So a right too few is a refusal here, and a right too many is one that nothing needs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { adminPolicy, baselinePolicy, clusterPolicy } from "../test/kube/objects.ts";
import { type Built, manifests, objectsOf, type Rule } from "../test/kube/built.ts";
import { eventually } from "../test/support/eventually.ts";
import type { AuditedRequest } from "./audit.ts";
import { describeEndToEnd, slow } from "./describe.ts";

/** One verb on one resource; null: of any name, in any namespace. */
interface Right {
  readonly verb: string;
  readonly group: string;
  readonly what: string;
  readonly name: string | null;
  readonly namespace: string | null;
}

const base = objectsOf(readFileSync(join(manifests, "base/rbac.yaml"), "utf8"));
const rights = base.flatMap((object) => (object.rules ?? []).flatMap((rule) => rightsOf(object, rule)));

function rightsOf({ metadata }: Built, rule: Rule): readonly Right[] {
  const { verbs, apiGroups = [], resources = [], resourceNames } = rule;
  return verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((what) =>
        (resourceNames ?? [null]).map((name) => ({
          ...{ verb, group, what, name },
          namespace: metadata.namespace ?? null,
        })),
      ),
    ),
  );
}

/** Group, namespace and name of a request's path. */
function placeOf({ uri }: AuditedRequest): Omit<Right, "verb" | "what"> {
  const path = new URL(uri, "https://api").pathname;
  const [, group = "", namespace, rest = ""] =
    /^\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/([^/]+)\/)?(.*)$/.exec(path) ?? [];
  return { group, namespace: namespace ?? null, name: rest.split("/")[1] ?? null };
}

const allows = (right: Right, request: AuditedRequest): boolean => {
  const { group, name, namespace } = placeOf(request);
  return (
    right.verb === request.verb &&
    right.what === request.what &&
    right.group === group &&
    (right.name === null || right.name === name) &&
    (right.namespace === null || right.namespace === namespace)
  );
};

const subject = { namespaces: {} };

await describeEndToEnd("the rights of manifests/base", { kinds: "anp,banp,cnp" }, (harness) => {
  afterEach(async () => {
    await harness().end();
    await harness().objects.wipe();
  }, slow);

  /** All that it does: conditions on each kind, an event, and a policy of each kind deleted. */
  const everything = async () => {
    const kinds = (name: string, priority: number) => [
      adminPolicy(name, { priority, subject, ingress: [] }),
      clusterPolicy(name, { tier: "Admin", priority, subject, ingress: [] }),
    ];
    const created = await harness().objects.create([
      ...kinds("gone", 6),
      baselinePolicy({ subject, ingress: [] }),
    ]);
    await harness().converged();
    await harness().objects.remove(...created);
    // A policy that comes again at once has not been away: whether its kind is deleted is not asked then.
    await harness().converged();
    await harness().objects.apply(...kinds("stays", 7), adminPolicy("too-high", { priority: 500, subject }));
    await harness().objects.apply(baselinePolicy({ subject, ingress: [] }));
  };

  test(
    "each is needed, and none is missing",
    async () => {
      await harness().start().ready();
      await everything();
      expect(rights).toHaveLength(19);
      await eventually(() => {
        const requests = harness().audit.requests();
        const needless = rights.filter(
          (right) =>
            !requests.some(
              (request) =>
                allows(right, request) && !rights.some((other) => other !== right && allows(other, request)),
            ),
        );
        expect(needless).toEqual([]);
      }, 30_000);
      const requests = harness().audit.requests();
      expect(requests.filter(({ code }) => code === 403 || code === 401)).toEqual([]);
      expect(requests.filter((request) => !rights.some((right) => allows(right, request)))).toEqual([]);
    },
    slow,
  );

  test(
    "one that is taken away is missed: the server refuses, and the audit log says so",
    async () => {
      const role = harness().plane.kubectl([
        "get",
        "role",
        "northgate-events",
        "-n",
        "default",
        "-o",
        "json",
      ]);
      const stored = JSON.parse(await role) as Built;
      const replace = (rules: readonly Rule[]) =>
        harness().plane.kubectl(["replace", "-f", "-"], {
          input: JSON.stringify({
            ...stored,
            metadata: { name: stored.metadata.name, namespace: "default" },
            rules,
          }),
        });
      await replace([]);
      try {
        const before = harness().audit.requests().length;
        await harness().start().ready();
        await everything();
        await eventually(() => {
          const refused = harness()
            .audit.requests()
            .slice(before)
            .filter(({ code }) => code === 403);
          expect(refused.map(({ verb, what }) => `${verb} ${what}`)).toContain("create events");
        }, 30_000);
      } finally {
        await replace(stored.rules ?? []);
      }
    },
    slow,
  );
});
