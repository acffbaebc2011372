// What the page is answered, without a server.

import { answer } from "../../src/ui/api.ts";
import type { ShownWorld } from "../../src/ui/world.ts";

/** The body of the answer, whatever its status. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- whoever asks knows the shape
export function askPage<T>(world: ShownWorld, path: string): T {
  const url = new URL(path, "http://localhost");
  return answer(world, url.pathname, url.searchParams)?.body as T;
}
