// A program in the network namespace of a node: connections to a port of 127.0.0.1 or of another address there go to a unix socket, which files share with
// other namespaces. Says one line when it is ready, and ends with its input.

import { connect, createServer } from "node:net";
import { joined } from "./joined.ts";

const [port = "", socket = "", address = "127.0.0.1"] = process.argv.slice(2);

createServer((inner) => {
  joined(inner, connect(socket));
}).listen(Number(port), address, () => process.stdout.write("ready\n"));
process.stdin.resume().on("close", () => {
  process.exit();
});
