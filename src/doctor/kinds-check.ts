// Whether the API server serves the kinds of policy that a run with these flags follows, and in which versions.

import type { KubeApi, Serving } from "../kube/index.ts";
import { failureOf, isOfCrd, servingOf } from "../kube/index.ts";
import { listed } from "../lib/text/few.ts";
import type { ObjectKind } from "../model/object.ts";
import { apiVersionOf, askedKinds } from "../model/object.ts";
import type { Finding } from "./finding.ts";
import { fail, ok, skip, unknown } from "./finding.ts";
import type { KindsInUse } from "./rights.ts";

/** How a kind is served; null: nobody could say. */
export type ServedKinds = ReadonlyMap<ObjectKind, Serving | null>;

/** One finding for each kind of policy, and for each that policies refer to and that is not served well. */
export async function checkKinds(
  api: KubeApi,
  { policies, references }: KindsInUse,
): Promise<{ readonly findings: readonly Finding[]; readonly served: ServedKinds }> {
  const served = new Map<ObjectKind, Serving | null>();
  const findings: Finding[] = [];
  for (const kind of [...policies, ...references]) {
    try {
      served.set(kind, await servingOf(api, kind));
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      served.set(kind, null);
      findings.push(unknown("kinds", `${kind.resource}: ${failure.message}`, "let the user read discovery"));
    }
  }
  const isAnyServed = policies.some((kind) => isServed(served.get(kind)));
  for (const [kind, serving] of served)
    if (serving !== null) findings.push(findingOf(kind, serving, isAnyServed));
  return { findings, served };
}

function isServed(serving: Serving | null | undefined): boolean {
  return serving?.is === "served" || serving?.is === "leaving";
}

function findingOf(kind: ObjectKind, serving: Serving, isAnyServed: boolean): Finding {
  const name = `${kind.resource}.${kind.group}`;
  const read = listed([...new Set(askedKinds(kind).map(apiVersionOf))], "or");
  switch (serving.is) {
    case "served":
      return ok("kinds", `${kind.resource} are served as ${apiVersionOf(serving.as)}`);
    case "leaving":
      return fail(
        "kinds",
        `the CRD ${name} is being deleted, with all of its objects`,
        "wait until it is deleted, then install it again: the policies' rows are kept meanwhile",
      );
    case "otherVersion":
      return fail(
        "kinds",
        `${kind.resource} are served as ${listed(serving.served)}, and Northgate reads ${read}`,
        `serve ${read} in the CRD ${name}: manifests/crds of this version do`,
      );
    case "missing":
      return isAnyServed && isOfCrd(kind)
        ? skip("kinds", `${kind.resource} are not served, and no run waits for them`)
        : fail(
            "kinds",
            `${kind.resource} are not served, nor is any other kind of policy that these flags name`,
            "install the CRDs: kubectl apply -k manifests/crds",
          );
  }
}
