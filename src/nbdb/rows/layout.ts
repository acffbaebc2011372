// Decides which rows a policy has, and which shared units it uses. The product has one layout; tests bring others.

import type { Policy } from "../../policy/ir.ts";
import type { RenderOptions } from "./render-mode.ts";
import type { PolicyRows, RenderedPolicy } from "./policy-rows.ts";
import { renderPolicy } from "./render.ts";

export interface Layout {
  /** The rows of the policy's own unit, and the shared units that it uses. `before`: as in renderPolicy. */
  render(policy: Policy, options: RenderOptions, before: RenderedPolicy | null): PolicyRows;
}

export const productLayout: Layout = { render: renderPolicy };
