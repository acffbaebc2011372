// The clusters of examples/clusters: the answers of can, matrix, plan and lint are those that the goldens hold, and what the JSON of
// the commands says of every connection is what the judge says. `UPDATE=1 npm run jest -- test/corpus` writes the goldens again.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { CanReport } from "../../src/can/report.ts";
import type { Answer } from "../../src/explain/answer.ts";
import type { MatrixReport } from "../../src/matrix/report.ts";
import type { PlanReport } from "../../src/plan/report.ts";
import type { Both } from "../../src/verdicts/worlds.ts";
import { both } from "../../src/verdicts/worlds.ts";
import type { LoadedWorld } from "../../src/worlds/world.ts";
import { checkedClasses } from "../plan/two-judges.ts";
import { ranIn } from "../support/in-process.ts";
import { patience } from "../support/patience.ts";
import { clusters, commands, folderOf, goldenOf, linesOf, printedNow, update } from "./goldens.ts";
import { faultsOfCan, faultsOfExplain, faultsOfMatrix } from "./held.ts";
import type { Judgement } from "./judge.ts";
import { judgementsOf, planWorldOf, questionsOf } from "./judge.ts";
import { worldsOf } from "./worlds.ts";

jest.setTimeout(patience(120_000));

const isUpdate = process.env["UPDATE"] === "1";

async function json<T>(cluster: string, args: readonly string[]): Promise<T> {
  const { stdout, stderr } = await ranIn(folderOf(cluster), [...args, "-o", "json"]);
  if (stdout === "") throw new Error(`northgate ${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

test("there are twelve", () => {
  expect(clusters).toHaveLength(12);
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-corpus-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe.each(clusters)("%s", (cluster) => {
  test.each(commands)(
    "northgate %s prints its golden (UPDATE=1 npm run jest -- test/corpus writes it)",
    async (name) => {
      const printed = await printedNow(cluster, name);
      if (isUpdate) update(cluster, name, printed);
      expect(printed).toBe(goldenOf(cluster, name));
      expect(printed.split("\n").length).toBeLessThanOrEqual(70);
    },
  );

  describe("the judge agrees, about every connection, with", () => {
    let worlds: Both<LoadedWorld>;
    let judgements: readonly Judgement[];
    beforeAll(async () => {
      worlds = await worldsOf(folderOf(cluster), linesOf(cluster, "plan")[0] ?? []);
      judgements = judgementsOf(worlds.old);
    });

    test("can: with what the goldens ask, and with everything", async () => {
      for (const args of [...linesOf(cluster, "can"), [...asked(cluster), "--all"]])
        expect(faultsOfCan(await json<CanReport>(cluster, args), judgements)).toEqual([]);
    });

    test("matrix", async () => {
      for (const args of linesOf(cluster, "matrix"))
        expect(faultsOfMatrix(await json<MatrixReport>(cluster, args), judgements)).toEqual([]);
    });

    test("explain: every pair of pods, or of workloads", async () => {
      const judged = questionsOf(worlds.old);
      const file = join(folder, "connections.json");
      writeFileSync(file, JSON.stringify(judged.map(({ question }) => question)));
      const args = [
        "explain",
        ...asked(cluster).filter((word) => !["can", "reach"].includes(word)),
        "--connections",
        file,
      ];
      expect(judged.length).toBeGreaterThan(100);
      expect(faultsOfExplain(await json<Answers>(cluster, args), judged)).toEqual([]);
    });

    test("plan, in both worlds", async () => {
      const [args = []] = linesOf(cluster, "plan");
      const { verdicts } = await json<PlanReport>(cluster, args);
      const result = checkedClasses(
        both((age) => planWorldOf(worlds[age])),
        verdicts.changes,
        Infinity,
      );
      expect(result.faults).toEqual([]);
      expect(result.changed).toBeGreaterThan(0);
    });
  });
});

type Answers = readonly (Answer | { readonly error: string })[];

/** The command line of can without its question. */
function asked(cluster: string): readonly string[] {
  const [args = []] = linesOf(cluster, "can");
  const at = args.findIndex((word) => ["--to", "--from", "--all"].includes(word));
  return args.slice(0, at);
}
