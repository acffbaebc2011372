// Lines in the logs of OVN's daemons above level info. Only the logs show an expression that ovn-controller or
// ovn-trace cannot parse: the ACL is silently not in force. Every such line counts except the few below, each matched
// from its start, so that no unforeseen line counts as harmless.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const worse = /^[^|]*\|\d+\|([a-z0-9_]+)(?:\([^)]*\))?\|(WARN|ERR|EMER)\|(.*)$/;

/** By module: the start of lines that have nothing to do with the effect of rows. */
const harmless: readonly (readonly [module: string, start: string])[] = [
  // This machine has no smart network card.
  ["vif_plug_provider", "failed to initialize representor VIF plug provider class: "],
  // The machine was busy: how long a turn of the daemon's loop took, and what it did meanwhile.
  ["timeval", "Unreasonably long "],
  ["timeval", "faults: "],
  ["timeval", "disk: "],
  ["timeval", "context switches: "],
  ["ofproto_dpif_upcall", "Spent an unreasonably long "],
  // Its main thread had a large table of flows to make.
  ["ovs_rcu", "blocked "],
  // A rule rejects the answer of another rule's reject: an ABORT is not answered by another one.
  ["pinctrl", "sctp_abort action on incoming SCTP ABORT."],
];

/** The lines of a log that complain, each behind its daemon's name. */
export function complaintsIn(daemon: string, log: string): readonly string[] {
  return log.split("\n").flatMap((line) => {
    const [, module, level, said = ""] = worse.exec(line) ?? [];
    if (level === undefined) return [];
    const known = harmless.some(([owner, start]) => owner === module && said.startsWith(start));
    return known ? [] : [`${daemon}: ${module}|${level}|${said}`];
  });
}

/** Follows a daemon's log, which may grow long: reads each part only once. */
export class LogListener {
  readonly #daemon: string;
  readonly #path: string;
  #read = 0;

  constructor(daemon: string, path: string) {
    this.#daemon = daemon;
    this.#path = path;
  }

  /** The complaints since the last call. */
  news(): readonly string[] {
    const file = openSync(this.#path, "r");
    try {
      const fresh = Buffer.alloc(Math.max(0, fstatSync(file).size - this.#read));
      readSync(file, fresh, 0, fresh.length, this.#read);
      // The rest of an unfinished line is left for the next call.
      const whole = fresh.subarray(0, fresh.lastIndexOf("\n") + 1);
      this.#read += whole.length;
      return complaintsIn(this.#daemon, whole.toString());
    } finally {
      closeSync(file);
    }
  }
}
