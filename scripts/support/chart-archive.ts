// The chart as the archive that Helm installs. Not by `helm package`, which writes the time of day into it.
// The file is not called as Helm would call it: northgate-0.1.0.tgz is the npm package.

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { gzippedTar } from "./tar.ts";

interface Chart {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
}

/**
 * Writes the archive, and answers its name. Throws where the chart is of another version than the program.
 * @param chart the chart's folder. @param into an existing folder. @param scratch another one, which has no folder of the chart's name.
 */
export function packChart(chart: string, version: string, into: string, scratch: string): string {
  const { name, ...versions } = parse(readFileSync(join(chart, "Chart.yaml"), "utf8")) as Chart;
  for (const field of ["version", "appVersion"] as const)
    if (versions[field] !== version)
      throw new Error(
        `${chart}/Chart.yaml: ${field} is ${versions[field]}, and package.json says ${version}`,
      );
  const ignored = new Set(
    [".helmignore", ...ignoredIn(join(chart, ".helmignore"))].map((one) => join(chart, one)),
  );
  cpSync(chart, join(scratch, name), { recursive: true, filter: (path) => !ignored.has(path) });
  const file = `${name}-chart-${version}.tgz`;
  writeFileSync(join(into, file), gzippedTar(scratch, [name]));
  return file;
}

/** Names at the chart's top. Patterns are Helm's to understand, and are refused. */
function ignoredIn(file: string): readonly string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const names = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  const pattern = names.find((name) => !/^[\w.-]+$/.test(name));
  if (pattern !== undefined) throw new Error(`${file}: ${pattern} is a pattern; only names are understood`);
  return names;
}
