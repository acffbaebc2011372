// Whether the API server answers us, with which version, and whether its clock and ours agree.

import type { KubeApi, ServerAnswer } from "../kube/index.ts";
import { askServer, failureOf } from "../kube/index.ts";
import { printable } from "../model/quote.ts";
import type { Finding } from "./finding.ts";
import { fail, ok, unknown } from "./finding.ts";

/**
 * Milliseconds: of tokens and certificates that are new, a clock that is later behind refuses some. The server's time has whole
 * seconds, and an answer takes time on its way.
 */
export const tolerableSkewMs = 5_000;

export interface AskedServer {
  readonly api: KubeApi;
  /** Its URL. */
  readonly server: string;
  /** The time on this machine's clock, as milliseconds since 1970. */
  readonly timeMs: () => number;
}

/** Two findings; `answers`: whether the server can be asked more. */
export async function checkServer({
  api,
  server,
  timeMs,
}: AskedServer): Promise<{ readonly findings: readonly Finding[]; readonly answers: boolean }> {
  const askedMs = timeMs();
  try {
    const answer = await askServer(api);
    const version = answer.version === null ? "an unknown version" : printable(answer.version);
    const reached = ok("api-server", `${server} answers, ${version}`);
    return { findings: [reached, clockOf(answer, askedMs, timeMs())], answers: true };
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    const remedy =
      failure.kind === "unauthorized"
        ? "renew the credentials of the kubeconfig, or name another --kubeconfig or --context"
        : failure.kind === "forbidden"
          ? "let the user get /version: the ClusterRole system:public-info-viewer does"
          : "check the server of the kubeconfig's context, and the network to it";
    return { findings: [fail("api-server", `${server}: ${failure.message}`, remedy)], answers: false };
  }
}

function clockOf({ timeMs: theirsMs }: ServerAnswer, askedMs: number, answeredMs: number): Finding {
  if (theirsMs === null) return unknown("clocks", "the API server's answer has no Date");
  // Its time was cut to a second at some moment between the question and the answer.
  const [earliest, latest] = [theirsMs - answeredMs, theirsMs + 1000 - askedMs];
  const skewMs = earliest > 0 ? earliest : Math.min(latest, 0);
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= tolerableSkewMs)
    return ok("clocks", `this machine and the API server differ by less than ${seconds + 1} s`);
  const side = skewMs > 0 ? "behind" : "ahead of";
  return fail(
    "clocks",
    `the clock of this machine is ${seconds} s ${side} that of the API server`,
    "synchronize both with NTP: tokens and certificates are refused before and after their time",
  );
}
