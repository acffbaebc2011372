// All checks that the API server answers, in their order.

import type { KubeApi, ServiceAccount } from "../kube/index.ts";
import type { ObjectKind } from "../model/object.ts";
import { askedKinds } from "../model/object.ts";
import { checkConditions } from "./conditions-check.ts";
import type { Finding } from "./finding.ts";
import { skipped } from "./finding.ts";
import type { ServedKinds } from "./kinds-check.ts";
import { checkKinds } from "./kinds-check.ts";
import type { KindsInUse } from "./rights.ts";
import { rightsOfEvents, rightsOfFacts, rightsOfKinds, rightsOfReviews } from "./rights.ts";
import { checkRights } from "./rights-check.ts";
import { checkServer } from "./server-check.ts";

export interface ClusterQuestion {
  readonly api: KubeApi;
  readonly server: string;
  /** The time on this machine's clock, as milliseconds since 1970. */
  readonly timeMs: () => number;
  readonly kinds: KindsInUse;
  readonly zone: string | null;
  /** Whether a run with these flags writes conditions and events. */
  readonly conditions: boolean;
  /** Whether its metrics ask for tokens, which the API server reviews. */
  readonly reviewsTokens: boolean;
  readonly account: ServiceAccount | null;
}

export interface ClusterFindings {
  readonly findings: readonly Finding[];
  readonly answers: boolean;
}

/** For an API server that cannot be asked. */
export function unasked(text: string): readonly Finding[] {
  return skipped(["clocks", "kinds", "rights-read", "rights-report", "conditions"], text);
}

export async function checkCluster(question: ClusterQuestion): Promise<ClusterFindings> {
  const { api, kinds, zone, account, conditions } = question;
  const { findings, answers } = await checkServer(question);
  if (!answers) {
    return { findings: [...findings, ...unasked("the API server does not answer")], answers };
  }
  const { findings: ofKinds, served } = await checkKinds(api, kinds);
  const rights = rightsFor(question, (kind) => askedAs(served, kind));
  const ofRights = await checkRights({ api, rights, account });
  const reported = conditions
    ? await checkConditions({ api, policies: kinds.policies, served, zone })
    : skipped(["conditions"], "a run with these flags writes none");
  return { findings: [...findings, ...ofKinds, ...ofRights, ...reported], answers };
}

function rightsFor(
  { kinds, conditions, reviewsTokens }: ClusterQuestion,
  as: (kind: ObjectKind) => readonly ObjectKind[],
) {
  const rights = [
    ...rightsOfFacts(),
    ...rightsOfKinds(kinds, as),
    ...rightsOfEvents(kinds),
    ...(reviewsTokens ? rightsOfReviews() : []),
  ];
  return rights.filter(({ use }) => conditions || use !== "report");
}

/** Where the kind is served, or else where it would be read first. */
function askedAs(served: ServedKinds, kind: ObjectKind): readonly ObjectKind[] {
  const serving = served.get(kind) ?? null;
  return serving !== null && "as" in serving ? [serving.as] : askedKinds(kind).slice(0, 1);
}
