// What the thread of a controller's page does with a message: its world hears it; and when everything has arrived, the page asks itself
// questions of every kind, once. Nobody waits for that: clients take turns with it, and messages are heard between.

import type { ToThread } from "./page-messages.ts";

export function hearing(
  heard: (message: ToThread) => void,
  page: { rehearse(): Promise<void> },
): (message: ToThread) => void {
  let isRehearsed = false;
  return (message) => {
    heard(message);
    if (message.kind !== "synced" || isRehearsed) return;
    isRehearsed = true;
    void page.rehearse();
  };
}
