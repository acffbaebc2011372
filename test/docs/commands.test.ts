// Every command that README, docs/ and CONTRIBUTING show is run as it stands, and prints what stands below it; the others say
// where they run. Targets of the Makefile exist. See pages.ts.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import type { ShownCommand } from "./pages.ts";
import { shownCommands } from "./pages.ts";
import { startPlayground } from "./playground.ts";
import type { Playground } from "./playground.ts";
import { Reader, root } from "./reader.ts";
import { missingLine } from "./shown.ts";

const commands = shownCommands(root);
const at = (wanted: ShownCommand["place"]) => commands.filter(({ place }) => place === wanted);
const named = ({ at: where, command }: ShownCommand) => [`${where} ${command.slice(0, 60)}`] as const;

/** Exit codes have meanings; 2 with nothing shown is wrong usage, and 127 no such command. */
function holds(shown: ShownCommand, { printed, code }: ReturnType<Reader["run"]>): void {
  if (shown.output.length === 0) {
    if (code !== 0 && code !== 1)
      throw new Error(`${shown.at}: ended with ${code ?? "a signal"}:\n${printed}`);
    return;
  }
  const missing = missingLine(shown.output, printed);
  if (missing !== null) throw new Error(`${shown.at}: not printed: ${missing}\nprinted:\n${printed}`);
}

describe("offline", () => {
  let reader: Reader;
  beforeAll(() => {
    reader = new Reader();
    const port: readonly [string, string] = ["port: 5353", "port: 53"];
    reader.edited("edited", "cluster-control/policies", "cluster-control.yaml", port);
    // "Somebody has changed a port in an ACL": the rows of docs/explain.md.
    const rows = reader.run("northgate render -f examples/cluster-control -o json").printed;
    reader.write("rows.json", rows.replace("udp.dst==5353", "udp.dst==53"));
  });
  afterAll(() => {
    reader.end();
  });

  for (const shown of at("")) {
    test(...named(shown), () => {
      // A file that a page shows is a file that its reader has.
      const file = /^cat (\S+)$/.exec(shown.command)?.[1];
      if (file === undefined) holds(shown, reader.run(shown.command));
      else reader.write(file, `${shown.output.join("\n")}\n`);
    });
  }
});

await describeWithOvn("against the playground's database", () => {
  let playground: Playground;
  let reader: Reader;
  beforeAll(async () => {
    playground = await startPlayground();
    reader = new Reader();
    reader.link(".cache/sandbox", playground.folder);
  });
  afterAll(async () => {
    reader.end();
    await playground.stop();
  });

  for (const shown of at("playground")) {
    // An edit of a file takes effect a moment later; what reads may be asked again, and what writes shows nothing.
    test(...named(shown), () =>
      eventually(() => {
        holds(shown, reader.run(shown.command, playground.env));
      }),
    );
  }
});

describe("of the Makefile", () => {
  const makefile = readFileSync(`${root}/Makefile`, "utf8");
  const targets = new Set([...makefile.matchAll(/^([a-z-]+):/gm)].map(([, name]) => name));

  test("every target that a page names exists", () => {
    const asked = at("make").flatMap(({ command }) => {
      const make = /^make(?: ([a-z-]+))?(?: |$)/.exec(command);
      return make === null ? [] : [make[1] ?? "help"];
    });
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((name) => !targets.has(name))).toEqual([]);
  });
});

test("the pages show commands, and most of them are run", () => {
  expect(at("").length + at("playground").length).toBeGreaterThan(10);
});
