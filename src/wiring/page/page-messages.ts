// What the program and the thread of its page say to each other. Objects and texts of users cross as data, each in a field of its
// own type; nothing is marked by what a text begins with. Refuses, without throwing, whatever is none of these messages.

import type { UiConfig } from "../../config/ui.ts";
import type { PageConfig } from "../../config/page.ts";
import type { LogFormat, LogLevel } from "../../log.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { ObjectKey, WorldObject } from "../../model/object.ts";
import type { BackendConfig } from "../../config/config.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import type { Live } from "../../ui/world.ts";

/** What a thread is started with. */
export interface PageStart {
  readonly page: PageConfig;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  readonly world: FollowedStart | FedStart;
}

/** The thread follows the objects by itself. */
export interface FollowedStart {
  readonly kind: "followed";
  readonly config: UiConfig;
}

/** The program follows them, and passes them on. */
export interface FedStart {
  readonly kind: "fed";
  readonly families: readonly IpFamily[] | null;
  readonly kinds: Flags;
  readonly mode: BackendConfig;
  /** The source of the objects, for people. */
  readonly from: string;
}

/** The present state of an object. */
export interface FedChange {
  readonly key: ObjectKey;
  /** null: it does not exist. */
  readonly object: WorldObject | null;
  /** Of a policy whose object is refused: the object of the version in force; null: there is none. */
  readonly kept: WorldObject | null;
  /** It is refused, and nothing that the thread may know of the name is in force. */
  readonly isNew: boolean;
  /** Where its fields are written. */
  readonly places: readonly FieldPlace[];
}

export interface FieldPlace {
  readonly field: string;
  /** `file:line`. */
  readonly place: string;
}

/** What a controller is doing, as of a moment. */
export interface FedLive extends Omit<Live, "whyNotInForce"> {
  /** Why no policy is in force, in a word; null: it depends on the policy. */
  readonly everywhere: string | null;
  /** Policies that are not in force as they are written, and why, in a word. */
  readonly notInForce: readonly (readonly [key: ObjectKey, reason: string])[];
  /** What is wrong with what the source has now, as lines. */
  readonly problems: readonly string[];
}

export type ToThread =
  | { readonly kind: "objects"; readonly changes: readonly FedChange[] }
  /** Everything that there was at the start has been sent. */
  | { readonly kind: "synced" }
  | { readonly kind: "live"; readonly live: FedLive }
  | { readonly kind: "stop" };

export type FromThread =
  | { readonly kind: "listening"; readonly address: string }
  /** It cannot begin or go on; the message is for people. */
  | { readonly kind: "failed"; readonly message: string }
  /** The last objects are taken: the next may be sent. */
  | { readonly kind: "absorbed" };

/** null: it is none. */
export function readFromThread(value: unknown): FromThread | null {
  switch (fieldOf(value, "kind")) {
    case "listening": {
      const address = fieldOf(value, "address");
      return typeof address === "string" ? { kind: "listening", address } : null;
    }
    case "failed": {
      const message = fieldOf(value, "message");
      return typeof message === "string" ? { kind: "failed", message } : null;
    }
    case "absorbed":
      return { kind: "absorbed" };
    default:
      return null;
  }
}

/** Looks at the form alone: the sender is the same program. */
export function isToThread(value: unknown): value is ToThread {
  switch (fieldOf(value, "kind")) {
    case "objects":
      return Array.isArray(fieldOf(value, "changes"));
    case "live":
      return isRecord(fieldOf(value, "live"));
    case "synced":
    case "stop":
      return true;
    default:
      return false;
  }
}

export function isPageStart(value: unknown): value is PageStart {
  const kind = fieldOf(fieldOf(value, "world"), "kind");
  return isRecord(fieldOf(value, "page")) && (kind === "followed" || kind === "fed");
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
