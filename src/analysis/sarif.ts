// SARIF 2.1.0 (OASIS), the parts that the reports of lint and plan have in common: the log, and where something is in a file. Paths
// are those that were given, relative where they were.

export interface SarifDriver {
  readonly name: string;
  readonly version: string;
  /** As the standard has them. */
  readonly rules: readonly unknown[];
}

export function sarifLog({ name, version, rules }: SarifDriver, results: readonly unknown[]): string {
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name, semanticVersion: version, rules } },
        columnKind: "utf16CodeUnits",
        results,
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/** `place`: `file:line`. null: it is none. */
export function fileAndLine(place: string | null): { readonly file: string; readonly line: number } | null {
  const [, file, line] = /^(.*):(\d+)$/s.exec(place ?? "") ?? [];
  return file === undefined ? null : { file: file.replaceAll("\\", "/"), line: Number(line) };
}

/** The property of a location; none where the place is none. */
export function physicalLocation(place: string | null): object {
  const found = fileAndLine(place);
  if (found === null) return {};
  const uri = encodeURI(found.file).replaceAll("#", "%23").replaceAll("?", "%3F");
  return {
    physicalLocation: {
      artifactLocation: { uri: found.file.startsWith("/") ? `file://${uri}` : uri.replace(/^(\.\/)+/, "") },
      region: { startLine: found.line },
    },
  };
}
