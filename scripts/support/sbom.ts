// The list of what a tree is made of (CycloneDX 1.5): npm's own list from the lock file, less the packages that are not in the
// tree, and with what is in it beside npm's packages. Without the time and the random number that npm writes, so that the same
// tree has the same list.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";

interface Component {
  readonly "bom-ref": string;
  readonly [field: string]: unknown;
}

interface Bom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component; readonly [field: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly [field: string]: unknown;
}

/** A part that is no package of npm's. */
export interface OtherPart {
  readonly name: string;
  readonly version: string;
  /** A package URL, as scanners know it. */
  readonly purl: string;
}

/**
 * @param folder has package.json and package-lock.json. @param name of the program.
 * @param inTree whether `name@version` is in the tree.
 */
export function sbomOf(
  folder: string,
  name: string,
  inTree: (reference: string) => boolean,
  others: readonly OtherPart[],
): string {
  // Not --omit=dev: npm then leaves out what production needs too where a package for development named it first.
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--loglevel=error"];
  const bom = JSON.parse(
    execFileSync("npm", args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 }),
  ) as Bom;
  const metadata = Object.fromEntries(
    Object.entries(bom.metadata).filter(([field]) => field !== "timestamp"),
  );
  const own = bom.metadata.component["bom-ref"];
  const stays = (reference: string) => reference === own || inTree(reference);
  const parts = others.map(({ purl, ...part }) => ({ "bom-ref": purl, type: "library", ...part, purl }));
  const content = {
    ...bom,
    // npm takes the folder's name; what is built here is a program.
    metadata: { ...metadata, component: { ...bom.metadata.component, name, type: "application" } },
    components: [...bom.components.filter((component) => stays(component["bom-ref"])), ...parts],
    dependencies: bom.dependencies
      .filter(({ ref }) => stays(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(stays) })),
  };
  return `${JSON.stringify({ ...content, serialNumber: serialNumberOf(content) }, null, 2)}\n`;
}

/** A UUID (version 8: of our own making) from the content but the number itself. */
function serialNumberOf(content: object): string {
  const hash = createHash("sha256")
    .update(JSON.stringify({ ...content, serialNumber: "" }))
    .digest("hex");
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `urn:uuid:${[...parts, hash.slice(20, 32)].join("-")}`;
}
