// What `npm audit --json` printed: advisories, none, or no answer from the registry. Refuses to take anything that is not a
// report for "none".

export type Advisories =
  | { readonly kind: "none" }
  /** `name: severity, title`, one for each. */
  | { readonly kind: "found"; readonly lines: readonly string[] }
  | { readonly kind: "unknown"; readonly why: string };

export function readAdvisories(printed: string): Advisories {
  let report: unknown;
  try {
    report = JSON.parse(printed);
  } catch {
    return { kind: "unknown", why: firstLine(printed) || "npm printed nothing" };
  }
  const vulnerabilities = member(report, "vulnerabilities");
  if (member(report, "auditReportVersion") === undefined || !isRecord(vulnerabilities)) {
    const said = member(report, "message") ?? member(member(report, "error"), "summary");
    return {
      kind: "unknown",
      why: typeof said === "string" && said !== "" ? firstLine(said) : "npm printed no report",
    };
  }
  const lines = Object.entries(vulnerabilities).map(([name, found]) => lineOf(name, found));
  return lines.length === 0 ? { kind: "none" } : { kind: "found", lines };
}

function lineOf(name: string, found: unknown): string {
  const via = member(found, "via");
  const titles = (Array.isArray(via) ? via : []).map((cause: unknown) =>
    typeof cause === "string" ? `by ${cause}` : String(member(cause, "title")),
  );
  return `${name}: ${String(member(found, "severity"))}, ${titles.join("; ")}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function member(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}
