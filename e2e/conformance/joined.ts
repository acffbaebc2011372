// Two ends of connections, joined: what one receives, the other sends.

import type { Duplex } from "node:stream";

export function joined(inner: Duplex, outer: Duplex): void {
  inner.pipe(outer).pipe(inner);
  for (const one of [inner, outer])
    one.on("error", () => {
      inner.destroy();
      outer.destroy();
    });
}
