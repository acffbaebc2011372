#!/usr/bin/env -S node --max-semi-space-size=4
// kubectl asks it what may stand for the last word behind `kubectl northgate`: it finds it by its name, kubectl_complete-northgate.
process.argv.splice(2, 0, "kubectl", "__complete", "--");
await import("./northgate.js");
