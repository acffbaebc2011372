// The licences of what the image has beside the program: Node's, and those of Debian's packages whose libraries Node loads.

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** @param sbom the image's list of parts. Throws where a part has no licence on this machine. */
export function imageLicences(sbom: string): string {
  const { components } = JSON.parse(sbom) as {
    readonly components: readonly {
      readonly name: string;
      readonly version: string;
      readonly purl: string;
    }[];
  };
  const texts = components
    .filter(({ purl }) => !purl.startsWith("pkg:npm/"))
    .map(({ name, version, purl }) => {
      const file = purl.startsWith("pkg:deb/") ? `/usr/share/doc/${name}/copyright` : licenceOfNode();
      if (!existsSync(file))
        throw new Error(`${file}: missing: the licence of ${name}, which is in the image`);
      return `${name} ${version}\n\n${readFileSync(file, "utf8").trim()}\n`;
    });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Beside the Node that runs: in its own installation, or in the npm package that it was taken from. */
function licenceOfNode(): string {
  const installation = dirname(dirname(realpathSync(process.execPath)));
  const taken = `node_modules/node/node_modules/node-${process.platform}-${process.arch}`;
  const places = [installation, join(repository, taken)].map((folder) => join(folder, "LICENSE"));
  return places.find((path) => existsSync(path)) ?? places[0] ?? "";
}
