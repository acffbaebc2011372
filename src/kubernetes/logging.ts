// The annotation k8s.ovn.org/acl-logging → which verdicts are logged. A mistake here costs log lines only: a value that
// cannot be read is switched off with a warning and the policy stays in force. (OVN-Kubernetes refuses the whole
// policy.)

import type { Logging, LogSeverity } from "../policy/ir.ts";
import { logSeverities } from "../model/log-severity.ts";
import type { PolicyObject } from "../model/object.ts";
import type { Problems } from "../model/reader.ts";
import { Field, parseJson } from "../model/reader.ts";

export const loggingAnnotation = "k8s.ovn.org/acl-logging";

const severities: ReadonlyMap<string, LogSeverity> = new Map(
  logSeverities.map((severity) => [severity, severity]),
);

const silent: Logging = { allow: null, deny: null, pass: null, reject: null };

export function readLogging(object: PolicyObject, problems: Problems): Logging {
  const text = object.annotations.get(loggingAnnotation);
  if (text === undefined || text === "" || text === "{}") return silent;
  return readSeverities(
    new Field(problems, `metadata.annotations["${loggingAnnotation}"]`, text, "InvalidLogging"),
    text,
  );
}

/** Of policies that the annotation of their namespace speaks of; null: it has none. */
export function readNamespaceLogging(text: string | null, problems: Problems): Logging {
  if (text === null || text === "{}") return silent;
  return readSeverities(new Field(problems, "metadata.namespace", text, "InvalidLogging"), text);
}

function readSeverities(place: Field, text: string): Logging {
  const wanted = parsed(text, place);
  return {
    deny: severityOf("deny", wanted, place),
    allow: severityOf("allow", wanted, place),
    pass: severityOf("pass", wanted, place),
    reject: null,
  };
}

/** Fields by lower-case name; of several spellings the last wins, as in Go's decoder. `null` counts as absent. */
function parsed(text: string, place: Field): ReadonlyMap<string, Field> {
  const root = place.with(parseJson(text));
  if (root.raw !== null && !root.isObject)
    place.warn(`disabling logging because ${place.quoted} is not a JSON object`);
  return new Map(root.names().map((name) => [name.toLowerCase(), root.at(name)]));
}

function severityOf(
  action: keyof Logging,
  wanted: ReadonlyMap<string, Field>,
  place: Field,
): LogSeverity | null {
  const field = wanted.get(action);
  if (field === undefined || !field.present || field.raw === "") return null;
  const severity = typeof field.raw === "string" ? severities.get(field.raw) : undefined;
  if (severity !== undefined) return severity;
  place.warn(
    `disabling ${action} logging due to an invalid ${action} annotation. ${field.quoted} is not a valid log severity`,
  );
  return null;
}
