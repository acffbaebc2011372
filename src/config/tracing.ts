// Where traces are posted.

import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

/** null: off. Settings are logged at the start, so that the URL may hold no password. */
export function parseEndpoint({ text, from }: Value): string | null {
  if (text === "off") return null;
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new UsageError(`${from}: an http or https URL is expected, or off`);
  if (url.username !== "" || url.password !== "")
    throw new UsageError(
      `${from}: a user or a password in the URL is refused; OTEL_EXPORTER_OTLP_HEADERS has headers`,
    );
  return url.href;
}
