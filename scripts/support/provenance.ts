// Where the files of a release come from, as an in-toto Statement v1 with SLSA's provenance v1 as its predicate. It has no time and no
// random number: the same release has the same statement. It claims no more than is known: a checkout with changes has no commit.

import { basename } from "node:path";
import { home } from "./home.ts";
import { sha256Of } from "./oci.ts";

export const statementType = "application/vnd.in-toto+json";
/** What the fields below mean. */
const meaning = `${home}/blob/main/docs/versions.md#where-a-release-comes-from`;

export interface Build {
  readonly version: string;
  /** As `northgate version` says it: a hash, with `-dirty` behind it where files were changed; or null. */
  readonly commit: string | null;
  /** By path: what of the checkout decides which packages are in the release. */
  readonly lockFile: string;
  readonly npm: string;
}

/** @param files paths of the files that it is about. */
export function statementOf(files: readonly string[], { version, commit, lockFile, npm }: Build): object {
  const isClean = commit !== null && !commit.endsWith("-dirty");
  const source = isClean ? [{ uri: `git+${home}`, digest: { gitCommit: commit } }] : [];
  const node = process.versions.node;
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: files.map((path) => ({ name: basename(path), digest: { sha256: sha256Of(path) } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: meaning,
        externalParameters: { command: "make release", version },
        internalParameters: {
          checkout: isClean
            ? "clean"
            : commit === null
              ? "no git"
              : `changed since ${commit.replace("-dirty", "")}`,
          ...{ platform: `${process.platform}/${process.arch}`, node, npm },
        },
        resolvedDependencies: [
          ...source,
          { name: basename(lockFile), digest: { sha256: sha256Of(lockFile) } },
          { uri: `pkg:generic/node@${node}`, digest: { sha256: sha256Of(process.execPath) } },
        ],
      },
      runDetails: { builder: { id: meaning } },
    },
  };
}
