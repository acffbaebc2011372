// What an instance that runs says of itself: /readyz with its notes, and the metrics that mean trouble.

import { messageOf } from "../kube/index.ts";
import { counted } from "../lib/counted.ts";
import { listed } from "../lib/text/few.ts";
import { printable } from "../model/quote.ts";
import type { Finding } from "./finding.ts";
import { fail, ok, unknown } from "./finding.ts";
import type { Series } from "./series.ts";
import { seriesIn } from "./series.ts";

/** Milliseconds for one answer. */
const patienceMs = 5_000;

/** Bytes of one answer, unpacked: what a large cluster's instance serves has a tenth of it. */
const largestAnswer = 16 * 2 ** 20;

/** Lines of /readyz that a finding names. */
const named = 5;

interface Trouble {
  readonly metric: string;
  readonly said: (value: number, labels: string) => string;
  readonly remedy: string;
}

const troubles: readonly Trouble[] = [
  {
    metric: "northgate_contested_policies",
    said: (value) => `another program writes the rows of ${counted(value, "policy", "policies")} too`,
    remedy: "stop that program, ovnkube with --enable-admin-network-policy for one",
  },
  {
    metric: "northgate_policies_not_in_force",
    said: (value, labels) => `${counted(value, "policy", "policies")} not in force as written (${labels})`,
    remedy: "docs/operations.md explains each reason; the policies' conditions name the fault",
  },
  {
    metric: "northgate_missing_kind_policies",
    said: (value, labels) =>
      `the rows of ${counted(value, "policy", "policies")} are kept, and their kind is not served (${labels})`,
    remedy: "install the CRD again: kubectl apply -k manifests/crds",
  },
];

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** `url`: of its server of metrics. `largest`: bytes of an answer. Never rejects but for a bug. */
export async function checkInstance(
  url: URL,
  version: string,
  largest = largestAnswer,
): Promise<readonly Finding[]> {
  const ready = await answerOf(url, "/readyz", largest);
  if (typeof ready === "string")
    return [
      fail(
        "probes",
        `${url.origin}: ${ready}`,
        "check --metrics-url, and that the instance runs: its log says why it ended",
      ),
    ];
  const metrics = await answerOf(url, "/metrics", largest);
  return [readinessOf(url, ready), ...metricFindings(url, metrics, version)];
}

/** The answer, or why there is none. */
export async function answerOf(url: URL, path: string, largest = largestAnswer): Promise<Answered | string> {
  try {
    const answer = await fetch(new URL(path, url), { signal: AbortSignal.timeout(patienceMs) });
    const text = await textWithin(largest, answer);
    if (text === null) return `the answer is longer than ${largest / 2 ** 20} MiB`;
    return { status: answer.status, text };
  } catch (error) {
    // fetch says why in the cause of its error.
    const hasCause =
      typeof error === "object" && error !== null && "cause" in error && error.cause !== undefined;
    return printable(messageOf(hasCause ? error.cause : error));
  }
}

/** null: it is longer. What comes after the limit is not read. */
async function textWithin(limit: number, { body }: Response): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  if (body === null) return "";
  // Leaving the loop cancels the rest.
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > limit) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function readinessOf(url: URL, { status, text }: Answered): Finding {
  const lines = text.split("\n").filter((line) => !/^(ok)?$/.test(line.trim()));
  const said = lines
    .slice(0, named)
    .map((line) => printable(line))
    .join("; ");
  if (status === 200) return ok("probes", `${url.origin} is ready${said === "" ? "" : `: ${said}`}`);
  if (status === 503)
    return fail(
      "probes",
      `${url.origin} is not ready: ${said}`,
      "docs/operations.md explains under health and readiness what an instance waits for",
    );
  return unknown(
    "probes",
    `${url.origin}/readyz answers ${status}`,
    "check that --metrics-url is a Northgate's",
  );
}

function metricFindings(url: URL, answered: Answered | string, version: string): readonly Finding[] {
  if (typeof answered === "string") return [unknown("metrics", `${url.origin}/metrics: ${answered}`)];
  const { status, text } = answered;
  if (status === 401 || status === 403)
    return [unknown("metrics", `${url.origin}/metrics answers ${status}: doctor shows no token`, null)];
  const series = seriesIn(text);
  if (status !== 200 || series.length === 0)
    return [unknown("metrics", `${url.origin}/metrics answers ${status} and has no metrics of Northgate`)];
  const faults = troubles.flatMap(({ metric, said, remedy }) =>
    series
      .filter((one) => one.name === metric && one.value > 0)
      .map(({ value, labels }) =>
        fail("metrics", `${url.origin}: ${said(value, printable(labels))}`, remedy),
      ),
  );
  if (faults.length > 0) return faults;
  const names = new Set(series.map(({ name }) => name));
  // A backend has only some of them.
  const read = troubles.map(({ metric }) => metric).filter((metric) => names.has(metric));
  if (read.length === 0)
    return [unknown("metrics", `${url.origin}/metrics has none of the metrics that count troubles`)];
  const said = `${url.origin} counts no trouble in ${listed(read)}`;
  return [ok("metrics", `${said}${versionsOf(series, version)}`)];
}

function versionsOf(series: readonly Series[], own: string): string {
  const labels = series.find(({ name }) => name === "northgate_build_info")?.labels ?? "";
  const theirs = /version="([^"]*)"/.exec(labels)?.[1] ?? own;
  return theirs === own ? "" : `; it is of version ${printable(theirs)}, and doctor of ${own}`;
}
