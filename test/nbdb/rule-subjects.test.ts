// Rules with a subject of their own, on a real ovsdb-server: each has a port group in the policy's unit, with its ACLs in
// it. Compared with a fresh rendering after every edit; no dialect makes such rules yet, so policies are written by hand.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Groups } from "../../src/groups/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { everything, parseSelector } from "../../src/model/selector.ts";
import { NorthboundBackend } from "../../src/nbdb/backend.ts";
import { Preview } from "../../src/nbdb/desired/preview.ts";
import type { NamedPortForm } from "../../src/nbdb/rows/render-mode.ts";
import { namedPortForms } from "../../src/nbdb/rows/render-mode.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { PodGroup, Policy, PolicyKey, Rule } from "../../src/policy/ir.ts";
import { groupsOf, tiers } from "../../src/policy/ir.ts";
import type { Ovn } from "../../src/sandbox/ovn.ts";
import { startOvn } from "../../src/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { kinds, openNorthbound } from "../support/controller.ts";
import { describeWithOvn } from "../support/ovn.ts";
