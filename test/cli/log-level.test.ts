// The level of a run's log changes while it runs, by SIGUSR2 and back: said each time, also where lines of its severity are not written.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { patience } from "../support/patience.ts";
import { startNorthgate } from "../support/program.ts";

test(
  "SIGUSR2 changes to debug and back, in a run that writes errors alone",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "ng-level-"));
    const manifests = join(folder, "manifests");
    mkdirSync(manifests);
    writeFileSync(join(manifests, "a.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n");
    const running = startNorthgate([
      ...[`--source=dir:${manifests}`, `--nb=unix:${folder}/none.sock`],
      ...["--log-level=error", "--metrics-bind-address=off"],
    ]);
    const changes = () =>
      running
        .log()
        .filter(({ message }) => message === "the log level was changed by SIGUSR2")
        .map(({ level, to }) => [level, to]);
    // Tries to connect again and again, and reports it as a warning.
    const failures = () =>
      running.log().filter(({ message }) => message === "the database connection failed").length;
    try {
      // The signal ends a program that does not know it yet.
      await eventually(() => {
        expect(running.child.pid).toBeDefined();
      }, 10_000);
      await new Promise((resolve) => setTimeout(resolve, patience(3_000)));
      expect(running.text()).toBe("");

      running.child.kill("SIGUSR2");
      await eventually(() => {
        expect(changes()).toEqual([["info", "debug"]]);
        expect(failures()).toBeGreaterThan(0);
      }, 30_000);

      running.child.kill("SIGUSR2");
      await eventually(() => {
        expect(changes()).toEqual([
          ["info", "debug"],
          ["info", "error"],
        ]);
      }, 30_000);
      const before = failures();
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(failures()).toBe(before);
      expect(await running.end()).toBe(0);
    } finally {
      await running.end("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  },
  patience(120_000),
);
