// A node's packet filter as one table of nftables.

import { ownBitsOf } from "../established.ts";
import { TableFilter } from "../nft/table-filter.ts";
import { nftLanguage } from "../nft/language.ts";
import { filterFormOf } from "../options.ts";
import type { OpenNodeSide } from "./node-side.ts";
import { NodeTable } from "./node-table.ts";

export const openNftables: OpenNodeSide = ({ flags, ...options }) => {
  const form = filterFormOf(flags);
  const { connection } = ownBitsOf(form);
  const tools = new NodeTable({ ...options, bits: { packet: 0, connection } });
  return {
    filter: new TableFilter(tools),
    language: nftLanguage(form),
    notes: () => tools.notes(),
    stop: () => {
      tools.stop();
    },
  };
};
