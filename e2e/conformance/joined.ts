// Two ends of connections, joined: what one receives, the other sends.

import type { Socket } from "node:net";

export function joined(inner: Socket, outer: Socket): void {
  inner.pipe(outer).pipe(inner);
  for (const one of [inner, outer])
    one.on("error", () => {
      inner.destroy();
      outer.destroy();
    });
}
