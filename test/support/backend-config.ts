// The backend of tests, as a command knows it without any flag.

import { backendDefaults, backends } from "../../src/backends.ts";
import type { BackendConfig } from "../../src/config/config.ts";

export const byDefault: BackendConfig = {
  ...{ zone: null, backend: backends[0].name, backendFlags: backendDefaults },
};
