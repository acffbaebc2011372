// How crd.projectcalico.org/v1 keeps an object of projectcalico.org/v3. Its metadata is not the one that users wrote: labels,
// annotations and the name of a policy stand as JSON in an annotation (libcalico-go/lib/backend/k8s/resources/resources.go).
// What the annotation has is passed on as it is, mistakes in labels and annotations too: who reads the object reports them.

import type { Respelled } from "../model/object.ts";
import { Field, parseJson, Problems } from "../model/reader.ts";

/** The annotation with the metadata that users wrote. */
export const metadataAnnotation = "projectcalico.org/metadata";

/** What names of policies in the tier default begin with where they are kept; users need not write it. */
const defaultPrefix = "default.";

/** An object of any kind but policies. */
export function storedObject(value: unknown): Respelled {
  return asWritten(value, (name) => name);
}

/** A policy that may name a tier, staged or not. */
export function storedPolicy(value: unknown): Respelled {
  const { raw: tier = "" } = new Field(new Problems(), "", value).at("spec").at("tier");
  const isInDefault = tier === "" || tier === null || tier === "default";
  return asWritten(value, (name) => (isInDefault ? withoutPrefix(name) : name));
}

/** A name that is the prefix alone stays: nothing would be left of it. */
function withoutPrefix(name: string): string {
  return name.startsWith(defaultPrefix) && name !== defaultPrefix ? name.slice(defaultPrefix.length) : name;
}

/** `nameOf`: the name of an object whose annotation has none. An error is reported where the annotation may have one that cannot be read. */
function asWritten(value: unknown, nameOf: (stored: string) => string): Respelled {
  const problems = new Problems();
  const root = new Field(problems, "", value);
  const metadata = root.at("metadata");
  const annotation = metadata.at("annotations").at(metadataAnnotation);
  // An annotation that is no text is one that no object may have.
  if (typeof annotation.raw !== "string") return { value, problems: [] };
  const written = readAnnotation(annotation, annotation.raw);
  const own = {
    ...fieldsOf(metadata),
    name: written.name ?? nameIn(metadata.at("name").raw, nameOf),
    labels: together(metadata.at("labels"), written.labels),
    annotations: together(without(metadata.at("annotations")), written.annotations),
  };
  return { value: { ...fieldsOf(root), metadata: own }, problems: problems.list() };
}

interface Written {
  /** null: it has none. */
  readonly name: string | null;
  readonly labels: Field;
  readonly annotations: Field;
}

function readAnnotation(annotation: Field, text: string): Written {
  const written = annotation.with(parseJson(text));
  if (!written.isObject && written.raw !== null)
    annotation.error("is not a JSON object with an object's metadata");
  const { raw: name = "" } = written.at("name");
  if (typeof name !== "string" && name !== null) annotation.error("has a name that is not a string");
  return {
    name: typeof name === "string" && name !== "" ? name : null,
    labels: written.at("labels"),
    annotations: written.at("annotations"),
  };
}

function nameIn(stored: unknown, nameOf: (stored: string) => string): unknown {
  return typeof stored === "string" ? nameOf(stored) : stored;
}

/** Both, of which what was written wins. What is no object of texts stays for the reader to refuse. */
function together(stored: Field, written: Field): unknown {
  if (!written.present) return stored.raw;
  if (!written.isObject) return written.raw;
  return stored.present && !stored.isObject ? stored.raw : { ...fieldsOf(stored), ...fieldsOf(written) };
}

function without(annotations: Field): Field {
  const others = Object.entries(fieldsOf(annotations)).filter(([name]) => name !== metadataAnnotation);
  return annotations.with(Object.fromEntries(others));
}

/** As own fields, whatever they are called. */
function fieldsOf(field: Field): Record<string, unknown> {
  return Object.fromEntries(field.names().map((name) => [name, field.at(name).raw]));
}
