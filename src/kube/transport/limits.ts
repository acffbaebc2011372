// How much of an answer is read: bytes of one answer or of one line of a stream, and levels of its JSON. Whatever a server
// sends, the memory that it takes is bounded.

import { parseJson } from "../../model/reader.ts";
import { backslash, quoteMark, step } from "./json-marks.ts";

/**
 * For one page of a list, or one event of a watch. etcd takes objects of 1.5 MiB and an API server requests of 3 MiB, so
 * every object fits; pages that do not are asked for again with fewer objects.
 */
export const answerBytes = 8 * 1024 * 1024;

/** API servers themselves refuse JSON that is deeper (Go's encoding/json). */
export const answerDepth = 10_000;

/** undefined when the text is not JSON, or nested deeper than any object of a server. */
export function parseAnswer(text: string): unknown {
  return isDeep(text) ? undefined : parseJson(text);
}

function isDeep(text: string): boolean {
  if (text.length <= answerDepth) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === quoteMark) inString = !inString;
    else if (inString && character === backslash) i++;
    else if (!inString) depth += step(character);
    if (depth > answerDepth) return true;
  }
  return false;
}
