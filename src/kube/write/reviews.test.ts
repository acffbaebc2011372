// Reviews of tokens against a server on this machine that answers as an API server does. Requests are counted.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Answer, Sent } from "../../../test/support/scripted-api.ts";
import { HandClock, ScriptedApi } from "../../../test/support/scripted-api.ts";
import { AccessReviews, believedMs, mostReviewsPerSecond } from "./reviews.ts";

let server: ScriptedApi;
let clock: HandClock;
let reviews: AccessReviews;
/** By token, the user; and the users who may. */
let users: Map<string, object>;
let allowed: Set<string>;

const specOf = ({ body }: Sent) => (body as { readonly spec: Readonly<Record<string, unknown>> }).spec;
const answer: (sent: Sent) => Answer = (sent) => {
  const spec = specOf(sent);
  if (sent.path.endsWith("/subjectaccessreviews")) {
    return { status: 201, body: { status: { allowed: allowed.has(String(spec["user"])) } } };
  }
  const user = users.get(String(spec["token"]));
  const status = user === undefined ? { user: {}, error: "invalid" } : { authenticated: true, user };
  return { status: 201, body: { status } };
};

beforeEach(async () => {
  server = new ScriptedApi();
  server.script = answer;
  await server.start();
  clock = new HandClock();
  clock.elapse(123_456);
  reviews = new AccessReviews({ api: server.api, clock, path: "/metrics" });
  users = new Map([
    ["good", { username: "prometheus", uid: "u1", groups: ["g"], extra: { scope: ["s"] } }],
    ["poor", { username: "somebody", groups: [] }],
  ]);
  allowed = new Set(["prometheus"]);
});
afterEach(() => server.stop());

test("asks whose the token is, and then whether all that this user is may get the path", async () => {
  expect(await reviews.mayGet("good")).toEqual({ kind: "allowed" });
  expect(server.sent.map(({ method, path, body }) => [method, path, body])).toEqual([
    [
      "POST",
      "/apis/authentication.k8s.io/v1/tokenreviews",
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "good" } },
    ],
    [
      "POST",
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: {
          user: "prometheus",
          uid: "u1",
          groups: ["g"],
          extra: { scope: ["s"] },
          nonResourceAttributes: { path: "/metrics", verb: "get" },
        },
      },
    ],
  ]);
});

test("a token that nobody has is not asked about further; one without the right is told whose it is", async () => {
  expect(await reviews.mayGet("none")).toEqual({ kind: "unknown" });
  expect(server.sent).toHaveLength(1);
  expect(await reviews.mayGet("poor")).toEqual({ kind: "forbidden", user: "somebody" });
  expect(server.sent).toHaveLength(3);
});

test("many who bring one token at once make one review, and its answer is believed for a while", async () => {
  await Promise.all(Array.from({ length: 10 }, () => reviews.mayGet("good")));
  clock.elapse(believedMs.allowed - 1);
  await reviews.mayGet("good");
  expect(server.sent).toHaveLength(2);
  users.clear();
  clock.elapse(1);
  expect(await reviews.mayGet("good")).toEqual({ kind: "unknown" });
  expect(server.sent).toHaveLength(3);
});

test("a refusal is believed for a shorter while", async () => {
  await reviews.mayGet("poor");
  allowed.add("somebody");
  clock.elapse(believedMs.forbidden - 1);
  expect(await reviews.mayGet("poor")).toMatchObject({ kind: "forbidden" });
  clock.elapse(1);
  expect(await reviews.mayGet("poor")).toEqual({ kind: "allowed" });
});

test("a flood of invented tokens is not passed on, and keeps no valid reader out", async () => {
  await reviews.mayGet("good");
  clock.elapse(1000);
  let refused = 0;
  for (let i = 0; i < 5000; i++) {
    const verdict = await reviews.mayGet(`invented-${i}`);
    if (verdict.kind === "unavailable") refused++;
  }
  expect(refused).toBe(5000 - mostReviewsPerSecond);
  expect(server.sent).toHaveLength(2 + mostReviewsPerSecond);
  clock.elapse(believedMs.allowed - 1000);
  for (let i = 0; i < 2 * mostReviewsPerSecond; i++) await reviews.mayGet(`more-${i}`);
  expect(await reviews.mayGet("good")).toEqual({ kind: "allowed" });
});

test.each<[string, Answer | "reset"]>([
  ["no right to review", { status: 403, body: { message: "cannot create tokenreviews" } }],
  ["a server in trouble", { status: 500 }],
  ["no answer", "reset"],
])("%s: nobody reads, nothing is remembered, and no token is told", async (_, trouble) => {
  server.script = () => trouble;
  const verdict = await reviews.mayGet("good");
  expect(verdict).toEqual({ kind: "unavailable", reason: expect.any(String) as unknown });
  expect(JSON.stringify(verdict)).not.toContain("good");
  server.script = answer;
  expect(await reviews.mayGet("good")).toEqual({ kind: "allowed" });
});

test.each([
  null,
  {},
  { status: null },
  { status: { authenticated: "true" } },
  { status: { authenticated: true } },
  [],
])("an answer %j lets nobody in", async (body) => {
  server.script = () => ({ status: 201, body });
  expect(await reviews.mayGet("good")).toEqual({ kind: "unknown" });
});
