import { describe, expect, test } from "@jest/globals";
import { RemoteError } from "../notation/errors.ts";
import { formatRemote, parseRemotes } from "./remote.ts";

describe("a remote", () => {
  test.each(["unix:/run/ovn/ovnnb_db.sock", "tcp:127.0.0.1:6641", "tcp:[::1]:6641", "ssl:nb.example:16641"])(
    "%s is read and written back",
    (text) => {
      expect(parseRemotes(text).map(formatRemote)).toEqual([text]);
    },
  );

  test("a list is read in order", () => {
    expect(parseRemotes("ssl:a:1, ssl:[fd00::1]:2,unix:x")).toEqual([
      { kind: "ssl", host: "a", port: 1 },
      { kind: "ssl", host: "fd00::1", port: 2 },
      { kind: "unix", path: "x" },
    ]);
  });

  test.each([
    ["", '""'],
    ["tcp:a:1,", '""'],
    ["http:a:1", '"http:a:1"'],
    ["unix:", "path is missing"],
    [`unix:/${"x".repeat(107)}`, "longer than 107 bytes"],
    ["tcp:::1:6641", "brackets"],
    ["tcp:host", '"tcp:host"'],
    ["tcp:host:0", "port 0"],
    ["ssl:host:65536", "port 65536"],
    ["tcp:a:1,tcp:b", '"tcp:b"'],
  ])("%j is refused by name", (text, message) => {
    expect(() => parseRemotes(text)).toThrow(RemoteError);
    expect(() => parseRemotes(text)).toThrow(message);
  });
});
