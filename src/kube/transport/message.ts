// The message of any thrown value, on one line.

import { Field, Problems } from "../../model/reader.ts";

export function messageOf(error: unknown): string {
  const field = new Field(new Problems(), "", error);
  // Several addresses were tried: reports the first one's failure.
  const [first] = field.at("errors").items();
  if (first !== undefined) return messageOf(first.raw);
  const { raw } = field.at("message");
  const [line = ""] = (typeof raw === "string" ? raw : String(error)).split("\n", 1);
  return line === "" ? "failed without a message" : line;
}
