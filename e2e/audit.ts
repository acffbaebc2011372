// Every request that the API server got from the program, from the server's own audit log: the only witness that cannot
// be fooled by the program's counters. Refuses to log anybody else's requests.

import { AuditLog } from "./audit-log.ts";

/** Lower-case; a server-side apply is a patch. `what` is the resource, with its subresource. */
export interface AuditedRequest {
  readonly user: string;
  readonly verb: string;
  readonly what: string;
  readonly code: number;
  readonly uri: string;
}

/** The parts of an audit event that are looked at. */
interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

export class Audit {
  /** Arguments for the API server. */
  readonly apiServerArgs: readonly string[];
  readonly #log: AuditLog<AuditEvent>;

  constructor(dir: string, users: readonly string[]) {
    this.#log = new AuditLog(dir);
    this.apiServerArgs = this.#log.flags({
      omitStages: ["RequestReceived"],
      rules: [{ level: "Metadata", users }],
    });
  }

  /** In the order in which they were answered; a watch when it was accepted. */
  requests(): readonly AuditedRequest[] {
    return this.#log
      .events()
      .filter(({ verb, stage }) => stage === (verb === "watch" ? "ResponseStarted" : "ResponseComplete"))
      .map(({ user, verb, requestURI, objectRef = {}, responseStatus }) => ({
        user: user?.username ?? "",
        verb,
        what: [objectRef.resource, objectRef.subresource].filter(Boolean).join("/"),
        code: responseStatus?.code ?? 0,
        uri: requestURI,
      }));
  }

  /**
   * `verb what` → how often, of the requests after the first `skipped`; probes are left out: lists of one object, which come
   * with time and not with what happens.
   */
  tally(skipped = 0): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { verb, what, uri } of this.requests().slice(skipped)) {
      if (isProbe(uri)) continue;
      const key = `${verb} ${what}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }
}

function isProbe(uri: string): boolean {
  return new URL(uri, "http://server").searchParams.get("limit") === "1";
}
