// What must be so in a folder where a package of ours is installed, and nothing else: the program says its version and its
// help and renders an example; the OVSDB client does to a real ovsdb-server what its page shows. Each answer is a list of
// complaints: empty, it is so. Refuses nothing: who installs, and how, is not its business.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { manifestOf } from "./tarballs.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const page = join(repository, "docs/ovsdb-client.md");

/** Of a server that is not there. */
const nobodyThere = join(repository, "test/image/nobody-there.kubeconfig");

/** Without the clone's own programs, so that none of them stands in for one that was not installed. */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((dir) => !dir.includes("node_modules"));
  const PATH = [dirname(process.execPath), ...path].join(delimiter);
  return { ...process.env, NODE_OPTIONS: "", PATH, ...more };
}

/** @param folder where `northgate` was installed: has node_modules. */
export function complaintsOfProgram(folder: string): readonly string[] {
  const program = join(folder, "node_modules/.bin/northgate");
  const asked = (...args: readonly string[]) =>
    spawnSync(program, args, { cwd: folder, encoding: "utf8", env: environment(), timeout: 600_000 });
  const { version } = manifestOf(repository);
  const example = join(repository, "examples/cluster-control");
  // What reads the kubeconfig is loaded when it is needed only: a server that is not there shows that it was.
  const expected: readonly (readonly [code: number, says: string, ...args: readonly string[]])[] = [
    [0, version, "--version"],
    [0, "Usage: northgate", "--help"],
    [0, "--source", "run", "--help"],
    [0, "ANP:cluster-control:Ingress:0", "render", "-f", example],
    [1, "ECONNREFUSED", "get", "--kubeconfig", nobodyThere],
  ];
  return expected.flatMap(([code, says, ...args]) => {
    const { status, stdout, stderr, error } = asked(...args);
    if (status === code && (code === 0 ? stdout : stderr).includes(says)) return [];
    const said = error === undefined ? stdout.slice(0, 300) + stderr.slice(0, 700) : error.message;
    return [`northgate ${args.join(" ")}: code ${status ?? "none"}, without "${says}": ${said}`];
  });
}

/**
 * Runs the page's example there and compares what it prints.
 * @param from what the example imports the client from. @param nb an empty Northbound database, such as `unix:/path`.
 */
export function complaintsOfClient(folder: string, from: string, nb: string): readonly string[] {
  const text = readFileSync(page, "utf8");
  const [, example] = /```js\n([^]*?)```/.exec(text) ?? [];
  const [, output] = /It prints:\n\n```text\n([^]*?)```/.exec(text) ?? [];
  if (example === undefined || output === undefined) return [`${page} has no example with its output`];
  const script = join(folder, "example.mjs");
  writeFileSync(script, example.replace('"northgate/ovsdb-client"', JSON.stringify(from)));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    cwd: folder,
    encoding: "utf8",
    env: environment({ OVN_NB_DB: nb }),
    timeout: 600_000,
  });
  if (status === 0 && stdout === output) return [];
  return [`the client's example: code ${status ?? "none"}, printed:\n${stdout}${stderr}and not:\n${output}`];
}

/** What a program in TypeScript sees of the client: rows typed by the description, and a misspelt column refused. */
const consumer = (
  from: string,
) => `import { column, openSession, operationsFor } from ${JSON.stringify(from)};

const database = {
  name: "OVN_Northbound",
  tables: { Address_Set: { name: column.one("string"), addresses: column.set("string") } },
} as const;
const session = openSession({ remotes: "unix:/none", database, monitors: { Address_Set: {} } });
const { insert } = operationsFor<typeof database>();
insert("Address_Set", { name: "a", addresses: ["192.0.2.1"] });
// @ts-expect-error: there is no such column
insert("Address_Set", { nam: "a" });
await session.close();
`;

/** Compiles a program that uses the installed client, with the clone's compiler and Node's types. */
export function complaintsOfTypes(folder: string, from: string): readonly string[] {
  const at = join(folder, "typed");
  mkdirSync(at, { recursive: true });
  symlinkSync(join(repository, "node_modules/@types"), join(at, "types"));
  writeFileSync(join(at, "consumer.mts"), consumer(from));
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--skipLibCheck"];
  const types = ["--lib", "es2024,esnext.disposable", "--typeRoots", join(at, "types"), "--types", "node"];
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...flags, ...types, "consumer.mts"], {
    cwd: at,
    encoding: "utf8",
    env: environment(),
    timeout: 600_000,
  });
  return status === 0 ? [] : [`types of ${from}: ${stdout.slice(0, 1000)}`];
}
