// Waiting for what another process does: tries until the check passes, and lets its last failure out after a generous while,
// which is longer on a slow machine.

import { patience } from "./patience.ts";

/** `timeoutMs` is for an idle machine. */
export async function eventually(check: () => void | Promise<void>, timeoutMs = 10_000): Promise<void> {
  const begun = performance.now();
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() - begun > patience(timeoutMs)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
