// The module of the policy APIs' own project, as its authors publish it: definitions and samples, read at run time so
// that nothing of it is copied in here. Fetched once through the Go module proxy into .cache/upstream; the sums say that
// it is what was looked at. Without a Go or without the module it says SKIPPED and answers null; under CI=true it throws.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram, run } from "../../tools/sandbox/program.ts";

const module = "sigs.k8s.io/network-policy-api";

/** Versions, by the API that they define, with the sums of go.sum. */
const releases = {
  v1alpha1: { version: "v0.1.7", sum: "h1:obY2FTEidLXVdRYu7gJ4q1RYE57pBnrpMqoE2LZgp4g=" },
  v1alpha2: { version: "v0.2.0", sum: "h1:W/f0Y9VoeQdOWjX/h2gZyLH6gZ5LLEXmh/9wy9mQWKw=" },
} as const;
export type UpstreamApi = keyof typeof releases;
const apis = ["v1alpha1", "v1alpha2"] as const satisfies readonly UpstreamApi[];

/** The unpacked module of each API's release: an absolute path. */
export type Upstream = Readonly<Record<UpstreamApi, string>>;

const repository = fileURLToPath(new URL("../../", import.meta.url));
const cache = join(repository, ".cache", "upstream");

let found: Promise<Upstream | null> | null = null;

/** The modules; null when they cannot be had and that is allowed. Asked once a process. */
export function upstreamOrSkip(): Promise<Upstream | null> {
  found ??= find();
  return found;
}

async function find(): Promise<Upstream | null> {
  const answer = await fetchUpstream();
  if (typeof answer !== "string") return answer;
  if (process.env["CI"] === "true") throw new Error(answer);
  process.stderr.write(`SKIPPED: ${answer}\n`);
  return null;
}

/** The modules, or one line that says why there are none. */
export async function fetchUpstream(
  env: NodeJS.ProcessEnv = process.env,
  into: string = cache,
): Promise<Upstream | string> {
  const have = (api: UpstreamApi) => join(into, "mod", `${module}@${releases[api].version}`);
  const dirs = { v1alpha1: have("v1alpha1"), v1alpha2: have("v1alpha2") };
  const missing = apis.filter((api) => !existsSync(join(dirs[api], "go.mod")));
  if (missing.length === 0) return dirs;
  const go = findGo(env);
  if (go === null) return `${module} is fetched by Go, and neither PATH nor the usual places have one`;
  try {
    for (const api of missing) await download(go, api, env, into);
  } catch (error) {
    return `could not fetch ${module}: ${error instanceof Error ? error.message : String(error)}`;
  }
  return dirs;
}

async function download(go: string, api: UpstreamApi, env: NodeJS.ProcessEnv, into: string): Promise<void> {
  const { version, sum } = releases[api];
  process.stderr.write(`  fetching ${module} ${version} into ${into}\n`);
  mkdirSync(into, { recursive: true });
  // No module of ours around it: no go.mod that it could change. -modcacherw, so that `make clean` can remove it.
  const settings = {
    ...env,
    GOMODCACHE: join(into, "mod"),
    GOFLAGS: "-modcacherw",
    GOTOOLCHAIN: "local",
    GO111MODULE: "on",
    GOWORK: "off",
    GOENV: "off",
  };
  const args = ["-C", into, "mod", "download", "-json", `${module}@${version}`];
  const { stdout } = await run(go, args, { env: settings, timeoutMs: 120_000 });
  const said: unknown = JSON.parse(stdout);
  const got = typeof said === "object" && said !== null && "Sum" in said ? said.Sum : null;
  if (got !== sum) throw new Error(`${version} has the sum ${String(got)}, not ${sum}`);
}

/** The Go of this machine, or the one in the cache: an absolute path. */
export function findGo(env: NodeJS.ProcessEnv): string | null {
  const onPath = (env["PATH"] ?? "").split(":").filter((dir) => dir !== "");
  const places = [...onPath, "/usr/local/go/bin", ...debian, ...debian.map((dir) => join(cacheOfGo, dir))];
  return places.map((dir) => join(dir, "go")).find(isProgram) ?? null;
}

/** Debian has Go by version; e2e/controlplane/fetch-go.sh unpacks such packages into the cache. */
const debian = Array.from({ length: 12 }, (_, n) => `/usr/lib/go-1.${30 - n}/bin`);
const cacheOfGo = join(repository, ".cache", "controlplane", "go");
