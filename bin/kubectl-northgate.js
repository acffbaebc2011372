#!/usr/bin/env -S node --max-semi-space-size=4
// `kubectl northgate …`: kubectl finds it by its name. The program is the same; its first argument says how it was called.
process.argv.splice(2, 0, "kubectl");
await import("./northgate.js");
