// One server-side apply of our part of an object's status, and what the server's answer means.

import type { KindText, ObjectKey, ObjectKind, PolicyObject } from "../../model/object.ts";
import { keyOf, kindText, readNameOf, readVersionOf } from "../../model/object.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { ApiResponse } from "../transport/api.ts";
import { Failure, failureOfAnswer } from "../transport/failure.ts";
import { objectPath } from "../transport/paths.ts";
import type { End, WriteOutcome, Write } from "./write.ts";
import type { ReportedCondition } from "./zone-condition.ts";

/** A policy object with its place in the API. */
export interface ReportedPolicy {
  readonly object: PolicyObject;
  readonly resource: ObjectKind;
}

export interface StatusWrite extends Write {
  readonly key: ObjectKey;
  readonly uid: string | null;
  /** null: our condition is to be removed. */
  readonly condition: ReportedCondition | null;
  readonly told: (end: End) => void;
  readonly kind: KindText;
  /** The condition is sent with its reason and message. */
  readonly hasWords: boolean;
}

/** `body`: the status, or nothing to own none of it any more; `manager`: the field manager. */
export function statusRequest({ object, resource }: ReportedPolicy, body: object, manager: string) {
  const { kind, namespace, uid, readAs } = object;
  const name = readNameOf(object);
  const metadata = namespace === null ? { name } : { name, namespace };
  return {
    key: keyOf(object),
    uid,
    resource: resource.resource,
    kind: kindText(resource),
    request: {
      method: "PATCH",
      path: `${objectPath({ ...resource, ...readAs }, namespace, name)}/status`,
      query: { fieldManager: manager, force: "true" },
      contentType: "application/apply-patch+yaml",
      body: { apiVersion: readVersionOf(object), kind, metadata, ...body },
    },
  } as const;
}

export function verdictOf({ uid }: StatusWrite, response: ApiResponse): WriteOutcome {
  const { status, body } = response;
  if (status === 404) return "moot";
  // Many clients write one object at once: the server has already retried several times itself.
  if (status === 409) return new Failure("unavailable", "the API server asks to try again (409)");
  if (status !== 200 && status !== 201) return failureOfAnswer(response);
  // Servers do not compare a uid that is sent along with a status. When it differs, our object was deleted and another
  // has its name; that object will be reported too, which corrects the condition that we wrote now.
  const written = new Field(new Problems(), "", body).at("metadata").at("uid").raw;
  return uid !== null && typeof written === "string" && written !== uid ? "moot" : "done";
}
