// How the fake API server writes what it answers: as JSON, or as protobuf where that is asked for and the collection is of a kind that
// has it. An object is encoded once, when it is put.

import { Encoder } from "./encoder.ts";

/** An object as it is held. */
export interface Stored {
  readonly json: string;
  /** A message, without its envelope; null: of a collection that is served as JSON alone. */
  readonly message: Buffer | null;
}

export interface Answers {
  readonly contentType: string;
  /** Of a watch. */
  readonly streamType: string;
  list(metadata: Readonly<Record<string, string>>, items: readonly Stored[]): Buffer | string;
  event(type: string, object: Stored): Buffer | string;
  bookmark(version: string): Buffer | string;
  error(status: object): Buffer | string;
  readonly status: (status: object) => Buffer | string;
  /** The beginning of an event, whose rest does not come. */
  readonly half: Buffer | string;
}

function line(type: string, json: string): string {
  return `{"type":"${type}","object":${json}}\n`;
}

export const asJson: Answers = {
  contentType: "application/json",
  streamType: "application/json",
  list: (metadata, items) =>
    `{"kind":"List","metadata":${JSON.stringify(metadata)},"items":[${items.map(({ json }) => json).join()}]}`,
  event: (type, { json }) => line(type, json),
  bookmark: (resourceVersion) => line("BOOKMARK", JSON.stringify({ metadata: { resourceVersion } })),
  error: (status) => line("ERROR", JSON.stringify(status)),
  status: (status) => JSON.stringify(status),
  half: '{"type":"ADDED","object":{"metadata":{"name":"ha',
};

const protobuf = "application/vnd.kubernetes.protobuf";

/** Kinds by the end of the path where they are listed. */
const kinds: ReadonlyMap<string, readonly [apiVersion: string, kind: string]> = new Map([
  ["/api/v1/pods", ["v1", "Pod"]],
  ["/api/v1/namespaces", ["v1", "Namespace"]],
  ["/api/v1/nodes", ["v1", "Node"]],
  ["/api/v1/services", ["v1", "Service"]],
  ["/api/v1/serviceaccounts", ["v1", "ServiceAccount"]],
  ["/apis/networking.k8s.io/v1/networkpolicies", ["networking.k8s.io/v1", "NetworkPolicy"]],
  ["/apis/discovery.k8s.io/v1/endpointslices", ["discovery.k8s.io/v1", "EndpointSlice"]],
]);

export class ProtobufForms {
  readonly #encoder: Encoder;

  /** `zeros`: as of Encoder. */
  constructor(zeros = true) {
    this.#encoder = new Encoder(zeros);
  }

  /** null: the collection is of a kind that a CRD defines. */
  stored(collection: string, object: Readonly<Record<string, unknown>>): Buffer | null {
    const [, kind] = kinds.get(collection) ?? [];
    return kind === undefined ? null : this.#encoder.message(kind, object);
  }

  /** null: the collection has no protobuf. */
  of(collection: string): Answers | null {
    const [apiVersion, kind] = kinds.get(collection) ?? [];
    if (apiVersion === undefined || kind === undefined) return null;
    const encoder = this.#encoder;
    const enveloped = ({ message }: Stored) => encoder.enveloped(apiVersion, kind, message ?? Buffer.of());
    const status = (value: object) =>
      encoder.object("v1", "Status", value as Readonly<Record<string, unknown>>);
    return {
      contentType: protobuf,
      streamType: `${protobuf};stream=watch`,
      list: (metadata, items) =>
        encoder.list(
          apiVersion,
          kind,
          metadata,
          items.map(({ message }) => message ?? Buffer.of()),
        ),
      event: (type, object) => encoder.frame(type, enveloped(object)),
      bookmark: (resourceVersion) =>
        encoder.frame("BOOKMARK", encoder.object(apiVersion, kind, { metadata: { resourceVersion } })),
      error: (value) => encoder.frame("ERROR", status(value)),
      status,
      half: Buffer.from("\0\0\x10\0\n\x05ADDED"),
    };
  }
}
