// How crd.traffic.test keeps an object of traffic.test: its name and its labels stand as JSON in an annotation, and the object itself
// may be called otherwise.

import type { Respelled } from "../../src/model/object.ts";
import { Field, parseJson, Problems } from "../../src/model/reader.ts";

export const keptIn = "traffic.test/own";

export function storedTraffic(value: unknown): Respelled {
  const problems = new Problems();
  const root = new Field(problems, "", value);
  const metadata = root.at("metadata");
  const annotation = metadata.at("annotations").at(keptIn);
  if (typeof annotation.raw !== "string") return { value, problems: [] };
  const own = parseJson(annotation.raw);
  if (typeof own !== "object" || own === null) {
    annotation.error("is not a JSON object");
    return { value, problems: problems.list() };
  }
  return {
    value: Object.assign({}, value, { metadata: Object.assign({}, metadata.raw, own) }),
    problems: [],
  };
}
