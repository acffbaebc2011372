// A node's packet filter in iptables and ipset, of the flavour that is asked for, or of the one that the node uses.

import { ownBitsOf } from "../established.ts";
import { iptablesLanguage } from "../live/iptables-language.ts";
import { NodeFilter } from "../live/node-filter.ts";
import { filterFormOf, flavourChosen } from "../options.ts";
import type { OpenNodeSide } from "./node-side.ts";
import { NodeTools } from "./node-tools.ts";
import { readNodeProtocols } from "./protocols.ts";

export const openIptables: OpenNodeSide = ({ flags, ...options }) => {
  const form = filterFormOf(flags);
  const tools = new NodeTools({ ...options, flavour: flavourChosen(flags), bits: ownBitsOf(form) });
  return {
    filter: new NodeFilter(tools, readNodeProtocols()),
    language: iptablesLanguage(form),
    notes: () => tools.notes(),
    stop: () => {
      tools.stop();
    },
  };
};
