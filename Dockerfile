# syntax=docker/dockerfile:1
# Northgate's image: Node with the libraries that it loads, the compiled program, what it needs at run time, and a list of all
# that in /app/sbom.cdx.json; no shell, no compiler, no package manager. What is in it is decided by scripts/image.ts alone;
# test/image assembles the same tree without Docker and starts it.
# Runs as nobody's user and writes to no file: `docker run --read-only --cap-drop=ALL northgate:0.1.0`.

# By its full version, which is the one of the package `node` in the lock file. Who builds for others adds the digest of that
# tag: it cannot be looked up without a network, so none is written here.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# docker build --build-arg COMMIT=$(git rev-parse HEAD): `northgate --version` names it.
ARG COMMIT=""
RUN NORTHGATE_COMMIT=$COMMIT node scripts/image.ts /image

# docker build --target netfilter: the same program with iptables, ipset and nft, for `run --backend iptables` and `nftables`. It has the
# shell and the package manager of its base.
FROM node:24.21.0-bookworm-slim AS netfilter
RUN apt-get update && apt-get install --yes --no-install-recommends iptables ipset nftables \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir -p /nodejs/bin && ln -s /usr/local/bin/node /nodejs/bin/node
COPY --from=build /image/app/ /app/
WORKDIR /app
ENV NODE_ENV=production
EXPOSE 9476
ENTRYPOINT ["/nodejs/bin/node", "--disable-sigusr1", "--max-semi-space-size=8", "--initial-heap-size=96", "/app/bin/northgate.js"]
CMD ["--help"]

FROM scratch
COPY --from=build /image/ /
WORKDIR /app
ENV NODE_ENV=production
# By number, so that runAsNonRoot can be checked.
USER 65532:65532
EXPOSE 9476
ENTRYPOINT ["/nodejs/bin/node", "--disable-sigusr1", "--max-semi-space-size=8", "--initial-heap-size=96", "/app/bin/northgate.js"]
CMD ["--help"]
