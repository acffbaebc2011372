// A group of tests that cannot run on this machine. Why is said where it was found out.

import { describe, test } from "@jest/globals";

/** `needs`: in the words of a list of tests. */
export function skippedGroup(name: string, needs: string): void {
  describe.skip(name, () => {
    // Never run; a skipped group must not be empty.
    test.todo(needs);
  });
}
