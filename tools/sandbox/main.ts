// The sandbox's command line, for `make up`, `make down` and people: `node tools/sandbox/main.ts --help`. Only words and
// flags; what the commands do is in commands.ts. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no OVN to be had.

import { Command, CommanderError, InvalidArgumentError } from "commander";
import { cni, down, env, fetch, status, up } from "./commands.ts";
import { OvnMissingError } from "./find-ovn.ts";
import { defaultDir } from "./place.ts";

const examples = `
Examples:
  $ node tools/sandbox/main.ts up                  start it; a second "up" changes nothing
  $ eval "$(node tools/sandbox/main.ts env)"       ovn-nbctl, ovn-sbctl and ovn-trace of this shell talk to it
  $ node tools/sandbox/main.ts cni examples/       a switch a Node, a port a Pod; follows edits until interrupted
  $ ovn-nbctl show
  $ node tools/sandbox/main.ts down                end it and forget its databases

Exit codes: 0 done, 1 failed (status: not running), 2 wrong usage, 3 no OVN here and none can be fetched.
NORTHGATE_OVN_PREFIX names an OVN to use: a folder with bin/ and schema/.`;

function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number > 65_535) throw new InvalidArgumentError("a port is 0 to 65535");
  return number;
}

function program(): Command {
  const all = new Command("sandbox")
    .description(
      "A private OVN on this machine: NB and SB databases and ovn-northd, in one folder, without root.",
    )
    .addHelpText("after", examples)
    .exitOverride()
    .showHelpAfterError("(see --help)");
  const withDir = (name: string, text: string) =>
    all.command(name).description(text).option("--dir <dir>", "the folder of its state", defaultDir());

  withDir("up", "start it, keep it running, and say how to reach it")
    .option("--tcp <port>", "serve NB on this port of 127.0.0.1 too; 0 takes a free one", port)
    .option(
      "--manifests <path...>",
      "give the Nodes and Pods of these files and folders switches and ports, once",
    )
    .action(up);
  withDir(
    "cni",
    "stand in for the CNI: a switch a Node and a port a Pod of these manifests, until interrupted",
  )
    .argument("<path...>", "YAML or JSON files, or folders of them")
    .action((paths: readonly string[], options: { readonly dir: string }) => cni(options.dir, paths));
  withDir("down", "end it, and remove its databases")
    .option("--keep", "keep the databases for the next `up`", false)
    .action(down);
  withDir("status", "say which of its daemons run").action(status);
  withDir("env", "print shell lines that point OVN's tools at it").action(env);
  all.command("fetch").description("make sure there is an OVN to use, and say which").action(fetch);
  return all;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof OvnMissingError ? 3 : 1;
}

try {
  await program().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
