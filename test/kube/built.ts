// What `kubectl kustomize` makes of a folder of manifests/: the objects that a user applies, components and patches included.

import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { run } from "../../tools/sandbox/program.ts";

export const manifests = fileURLToPath(new URL("../../manifests", import.meta.url));

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The parts of an object that tests look at. */
export interface Built {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly Rule[];
  readonly automountServiceAccountToken?: boolean;
  readonly spec?: { readonly template?: { readonly spec: Readonly<Record<string, unknown>> } };
}

/** Of an absolute folder; `kubectl` is the program. */
export async function built(kubectl: string, folder: string): Promise<readonly Built[]> {
  const { stdout } = await run(kubectl, ["kustomize", folder]);
  return objectsOf(stdout);
}

export function objectsOf(text: string): readonly Built[] {
  const documents = parseAllDocuments(text);
  if ("empty" in documents) return [];
  return documents.map((document) => document.toJS() as Built | null).filter((object) => object !== null);
}
