// Waiting for what another process does: tries until the check passes, and lets its last failure out after a generous while.

export async function eventually(check: () => void | Promise<void>, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
