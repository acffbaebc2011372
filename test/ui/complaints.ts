// What must not happen on a page that a test has open.

import { expect } from "@jest/globals";
import type { Page } from "../support/chromium.ts";

const bad = ["Runtime.exceptionThrown", "Page.javascriptDialogOpening", "Network.webSocketCreated"];

/** Since the last time, nothing was thrown, no dialog was opened, and the content security policy had nothing to refuse. */
export function expectNoComplaints(page: Page): void {
  const events = page.events.splice(0);
  expect(events.filter(({ method }) => bad.includes(method))).toEqual([]);
  const logged = events.filter(({ method }) => method === "Log.entryAdded");
  expect(logged.filter(({ params }) => JSON.stringify(params).includes("Content Security"))).toEqual([]);
}
