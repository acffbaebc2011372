// The way from the API server to kubelets: a proxy for HTTP CONNECT on a unix socket, which the API server's egress selector uses, in the
// network namespace of the nodes' router. Says one line when it is ready, and ends with its input.

import { createServer } from "node:http";
import { connect } from "node:net";
import { joined } from "../conformance/joined.ts";

const [socket = ""] = process.argv.slice(2);

createServer()
  .on("connect", ({ url = "" }, inner) => {
    const { hostname, port } = new URL(`tcp://${url}`);
    const outer = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
    outer.once("error", () => inner.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    outer.once("connect", () => {
      inner.write("HTTP/1.1 200 OK\r\n\r\n");
      joined(inner, outer);
    });
  })
  .listen(socket, () => process.stdout.write("ready\n"));
process.stdin.resume().on("close", () => {
  process.exit();
});
