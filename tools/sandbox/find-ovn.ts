// Finds the OVN to use: the one in $NORTHGATE_OVN_PREFIX, else an installed one whose ACLs have tiers (OVN >= 23.06),
// else a private copy in .cache/ovn, fetched when it is missing. Refuses an older OVN and an incomplete one. The result
// has every required program and both schemas, and its ovn-nbctl runs.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram, run } from "./program.ts";

const required = [
  "ovsdb-server",
  "ovsdb-tool",
  "ovn-northd",
  "ovn-nbctl",
  "ovn-sbctl",
  "ovn-trace",
  "ovs-appctl",
] as const;
/** Needed only for a dataplane or for inspection. */
const optional = ["ovsdb-client", "ovn-controller", "ovs-vswitchd", "ovs-vsctl", "ovs-ofctl"] as const;

type RequiredProgram = (typeof required)[number];
type OptionalProgram = (typeof optional)[number];

export interface OvnInstall {
  readonly source: "env" | "installed" | "private";
  /** As ovn-nbctl prints it: "25.03.0". */
  readonly version: string;
  /** Absolute paths. */
  readonly programs: Readonly<Record<RequiredProgram, string>> &
    Readonly<Partial<Record<OptionalProgram, string>>>;
  readonly schemas: { readonly nb: string; readonly sb: string; readonly vswitch: string | null };
}

/** No OVN was found and none can be fetched. The message is one line that says what to do. */
export class OvnMissingError extends Error {
  override readonly name = "OvnMissingError";
}

export interface FindOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Whether to fetch a missing private copy; true by default. */
  readonly fetch?: boolean;
}

const repository = fileURLToPath(new URL("../../", import.meta.url));
const privateCopy = join(repository, ".cache", "ovn");
const fetchScript = join(repository, "scripts", "fetch-ovn.sh");
const advice =
  "install OVN >= 23.06 (ovn-central, ovn-host, openvswitch-switch) or name one in NORTHGATE_OVN_PREFIX";

const systemBins = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/usr/lib/openvswitch-switch",
];
const systemSchemas = [
  "/usr/share/ovn",
  "/usr/local/share/ovn",
  "/usr/share/openvswitch",
  "/usr/local/share/openvswitch",
];

export async function findOvn(options: FindOptions = {}): Promise<OvnInstall> {
  const env = options.env ?? process.env;
  const prefix = env["NORTHGATE_OVN_PREFIX"];
  if (prefix !== undefined && prefix !== "") {
    const found = await installIn("env", [join(prefix, "bin")], [join(prefix, "schema")]);
    if (typeof found !== "string") return found;
    throw new OvnMissingError(`NORTHGATE_OVN_PREFIX=${prefix} holds no usable OVN: ${found}`);
  }
  const path = (env["PATH"] ?? "").split(":").filter((part) => part !== "");
  const installed = await installIn("installed", [...path, ...systemBins], systemSchemas);
  if (typeof installed !== "string") return installed;

  if (!existsSync(join(privateCopy, ".ok"))) await fetchCopy(options.fetch ?? true);
  const copy = await installIn("private", [join(privateCopy, "bin")], [join(privateCopy, "schema")]);
  if (typeof copy !== "string") return copy;
  throw new OvnMissingError(`${privateCopy} is damaged (${copy}): remove it and try again`);
}

/** The OVN whose programs and schemas are in these folders, or why it cannot be used. */
async function installIn(
  source: OvnInstall["source"],
  bins: readonly string[],
  schemaDirs: readonly string[],
): Promise<OvnInstall | string> {
  const programs: Partial<Record<RequiredProgram | OptionalProgram, string>> = {};
  for (const name of [...required, ...optional]) {
    const path = bins.map((bin) => join(bin, name)).find(isProgram);
    if (path !== undefined) programs[name] = path;
  }
  if (!hasRequired(programs))
    return `no ${required.find((name) => programs[name] === undefined) ?? "program"}`;
  const schema = (name: string): string | null =>
    schemaDirs.map((dir) => join(dir, `${name}.ovsschema`)).find((path) => existsSync(path)) ?? null;
  const nb = schema("ovn-nb");
  const sb = schema("ovn-sb");
  if (nb === null || sb === null) return "no database schemas";
  if (!hasTiers(nb)) return "older than 23.06: its ACLs have no tiers";
  try {
    const { stdout } = await run(programs["ovn-nbctl"], ["--version"]);
    const version = /^ovn-nbctl (?:\(.*\) )?(\S+)/.exec(stdout)?.[1] ?? "unknown";
    return { source, version, programs, schemas: { nb, sb, vswitch: schema("vswitch") } };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function hasRequired(
  programs: Partial<Record<RequiredProgram | OptionalProgram, string>>,
): programs is OvnInstall["programs"] {
  return required.every((name) => programs[name] !== undefined);
}

/** ACL.tier came with OVN 23.06. */
function hasTiers(schemaPath: string): boolean {
  const schema: unknown = JSON.parse(readFileSync(schemaPath, "utf8"));
  return ["tables", "ACL", "columns", "tier"].reduce(member, schema) !== undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && name in value
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Runs the fetch script; its progress goes to this process's stderr. */
async function fetchCopy(allowed: boolean): Promise<void> {
  if (!allowed) throw new OvnMissingError(`there is no OVN >= 23.06 here yet; ${advice}`);
  if (process.platform !== "linux" || !existsSync(fetchScript)) {
    throw new OvnMissingError(`no OVN >= 23.06 on this machine; ${advice}`);
  }
  const { code, said } = await new Promise<{ code: number | null; said: string }>((resolve, reject) => {
    const child = spawn("bash", [fetchScript, privateCopy], {
      cwd: dirname(fetchScript),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      process.stderr.write(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, said: text });
    });
  });
  if (code === 0) return;
  const last = said.trim().split("\n").at(-1) ?? "";
  throw new OvnMissingError(last.replace(/^ovn: /, "") || `no OVN >= 23.06 on this machine; ${advice}`);
}
