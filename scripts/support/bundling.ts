// The program as it is shipped: some files of JavaScript that have all they need in them, our sources and the packages. One file
// is read faster than the 1,500 that it is made of, and what no code reaches is left out: of the Kubernetes client, the classes
// of every API. The licences of the packages are written beside it.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** By the name of the file: the program, and the threads that it starts, which src/ names as files beside the program. */
const entryPoints = {
  main: "src/main.ts",
  "ui-page": "src/cli/page/ui-page.ts",
  "ui-worker": "src/cli/page/ui-worker.ts",
  "heartbeat-thread": "src/nbdb/write/heartbeat-thread.ts",
};

/** The library's own entry exports its generated clients too; only its kubeconfig and authentication are used. */
const alias = { "@kubernetes/client-node": "./node_modules/@kubernetes/client-node/dist/config.js" };

/**
 * What the library's kubeconfig imports for clients that are not made here: half of what it would bring, 20 MB of memory and 60 ms
 * of CPU at each start. Our requests go through node:https, with the agents and headers that it makes.
 */
const clients: Readonly<Record<string, readonly string[]>> = {
  undici: ["Agent", "ProxyAgent"],
  "./gen/index.js": ["createConfiguration", "ServerConfiguration"],
};
const namespace = "without-clients";
const withoutClients: Plugin = {
  name: namespace,
  setup(of) {
    of.onResolve({ filter: /^(undici|\.\/gen\/index\.js)$/ }, ({ path, importer }) =>
      importer.endsWith("/@kubernetes/client-node/dist/config.js") ? { path, namespace } : undefined,
    );
    of.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: (clients[path] ?? [])
        .map((name) => `export function ${name}() { throw new Error("${path} is not in the bundle"); }`)
        .join("\n"),
    }));
  },
};

/**
 * An `import` of node:http reads everything that it exports, and so loads undici for its WebSocket: 26 ms of CPU at each start. Another
 * name than these fails the build.
 */
const httpNamespace = "http-without-undici";
const httpWithoutUndici: Plugin = {
  name: httpNamespace,
  setup(of) {
    of.onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: httpNamespace } : undefined,
    );
    of.onLoad({ filter: /./, namespace: httpNamespace }, ({ path }) => ({
      contents: `
        const http = process.getBuiltinModule("${path}");
        export default http;
        export const { Agent, createServer, request } = http;`,
    }));
  },
};

/** Optional to a package that the library brings, and here for development alone; the package does without it. */
const external = ["supports-color"];

/** What a CommonJS package needs to load Node's own modules. */
const banner = {
  js: 'import { createRequire as createRequireOfBundle } from "node:module";\nconst require = createRequireOfBundle(import.meta.url);',
};

export const listName = "packages.json";
export const licencesName = "THIRD-PARTY-LICENSES.txt";

interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly folder: string;
}

/**
 * Writes the program, the list of its packages (`name@version`, sorted), and their licences.
 * @param into an existing folder, such as dist/, beside package.json.
 * @param root where src/ and node_modules/ are; an absolute path.
 */
export async function bundle(
  into: string,
  sourcemap: boolean,
  root = repository,
): Promise<readonly string[]> {
  const { metafile } = await build({
    ...{ absWorkingDir: root, entryPoints, alias, external, banner, outdir: into, sourcemap },
    plugins: [withoutClients, httpWithoutUndici],
    ...{ bundle: true, splitting: true, format: "esm", platform: "node", target: "node22" },
    // The same bytes also where node_modules is a link.
    ...{ preserveSymlinks: true, metafile: true, logLevel: "warning" },
  });
  const packages = packagesAmong(Object.keys(metafile.inputs));
  const names = packages.map(({ name, version }) => `${name}@${version}`);
  writeFileSync(join(into, listName), `${JSON.stringify(names, null, 2)}\n`);
  writeFileSync(join(into, licencesName), packages.map(notice).join(`\n${"-".repeat(80)}\n\n`));
  return names;
}

function packagesAmong(files: readonly string[]): readonly Bundled[] {
  const folders = new Set(
    files.filter((file) => file.startsWith("node_modules/")).map((file) => rootOf(join(repository, file))),
  );
  return [...folders]
    .map((folder) => ({ ...manifestAt(folder), folder }))
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** By its path: a package may have further package.json files. */
function rootOf(file: string): string {
  let folder = dirname(file);
  while (!/\/node_modules\/(@[^/]+\/)?[^/@]+$/.test(folder)) folder = dirname(folder);
  return folder;
}

function manifestAt(folder: string): Omit<Bundled, "folder"> {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Omit<Bundled, "folder">;
}

function notice({ name, version, license, folder }: Bundled): string {
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .map((file) => join(folder, file))
    .map((file) => readFileSync(file, "utf8").trim());
  return [`${name} ${version} (${license ?? "see below"})`, ...texts, ""].join("\n\n");
}
