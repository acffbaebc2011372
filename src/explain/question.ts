// A question of a user: may this connect to that?

import type { AskedProtocol } from "../model/protocols.ts";

/** As a user asks. */
export interface Question {
  readonly from: string;
  readonly to: string;
  readonly protocol: AskedProtocol;
  /** A number, or the name of a container port of the destination; null: of icmp, or of a Service whose only port is meant. */
  readonly port: number | string | null;
}
