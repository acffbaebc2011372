// What a container of Northgate's image is started with. The Dockerfile says the same; test/image compares them.

import type { ContainerConfig } from "./oci.ts";

/** In the image: 65532 is the number that distroless images give it too. */
export const imageUser = 65532;

export function imageConfig(version: string, commit: string): ContainerConfig {
  return {
    // By number, so that runAsNonRoot can be checked.
    User: `${imageUser}:${imageUser}`,
    Entrypoint: [
      "/nodejs/bin/node",
      "--disable-sigusr1",
      "--max-semi-space-size=8",
      "--initial-heap-size=96",
      "/app/bin/northgate.js",
    ],
    Cmd: ["--help"],
    WorkingDir: "/app",
    Env: ["NODE_ENV=production"],
    ExposedPorts: { "9476/tcp": {} },
    Labels: {
      "org.opencontainers.image.title": "northgate",
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.licenses": "Apache-2.0",
      ...(commit === "" ? {} : { "org.opencontainers.image.revision": commit }),
    },
  };
}
