// Whether the API server gives the rights that a run with these flags needs, by a review of each.

import type { KubeApi, ServiceAccount } from "../kube/index.ts";
import { failureOf, mayDo } from "../kube/index.ts";
import { counted } from "../lib/counted.ts";
import { excerptOf } from "../lib/text/few.ts";
import type { Finding } from "./finding.ts";
import { fail, ok, unknown } from "./finding.ts";
import type { NeededRight } from "./rights.ts";

/** Rights that a finding names. */
const named = 6;

const uses = [
  ["rights-read", "read", "what Northgate may not read, it does not enforce: apply manifests/base/rbac.yaml"],
  ["rights-report", "report", "without them policies get no conditions: apply the manifests' rbac.yaml"],
  ["rights-review", "review", "without them every token is refused: apply manifests/metrics-auth"],
] as const;

export interface AskedRights {
  readonly api: KubeApi;
  readonly rights: readonly NeededRight[];
  /** null: of whom the credentials are. */
  readonly account: ServiceAccount | null;
}

/** One finding for each use of rights. */
export async function checkRights(asked: AskedRights): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const [check, use, remedy] of uses) {
    const rights = asked.rights.filter((right) => right.use === use);
    if (rights.length > 0) found.push(await findingOf(check, remedy, { ...asked, rights }));
  }
  return found;
}

async function findingOf(
  check: string,
  remedy: string,
  { api, rights, account }: AskedRights,
): Promise<Finding> {
  const whose =
    account === null ? "the kubeconfig's user" : `the service account ${account.namespace}/${account.name}`;
  try {
    const answers = await Promise.all(rights.map((right) => mayDo(api, right, account)));
    const missing = rights.filter((_, at) => answers[at] === false).map(rightText);
    if (missing.length === 0) return ok(check, `${whose} has all ${counted(rights.length, "right")}`);
    return fail(check, `${whose} may not ${excerptOf(missing.length, missing.slice(0, named))}`, remedy);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    const hint = account === null ? null : "without --service-account the rights of the user are reviewed";
    return unknown(check, `the rights of ${whose} cannot be reviewed: ${failure.message}`, hint);
  }
}

/** As `kubectl auth can-i` takes it. */
export function rightText({ verb, group, resource, subresource, name, namespace }: NeededRight): string {
  const full = `${resource}${group === "" ? "" : `.${group}`}`;
  return [
    ...[verb, `${full}${name === null ? "" : `/${name}`}`],
    ...(subresource === null ? [] : [`--subresource=${subresource}`]),
    ...(namespace === null ? [] : [`-n ${namespace}`]),
  ].join(" ");
}
