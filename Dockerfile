# syntax=docker/dockerfile:1
# Northgate's image: Node, the compiled program and what it needs at run time; no shell, no compiler, no package manager.
# Runs as nobody's user and writes to no file: `docker run --read-only --cap-drop=ALL northgate:0.1.0`.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npx tsc -p tsconfig.build.json --sourceMap false --declaration false
# The package `node` is for machines without a Node that is new enough; this image has one.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/node node_modules/node-bin-*

# Nothing is run in this stage: it has no shell to run it.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
WORKDIR /app
COPY LICENSE package.json ./
COPY bin bin
COPY manifests manifests
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY src/ui/page src/ui/page
ENV NODE_ENV=production
# By number, so that runAsNonRoot can be checked; the number is the one of this image's `nonroot`.
USER 65532:65532
EXPOSE 9476
ENTRYPOINT ["/nodejs/bin/node", "--disable-sigusr1", "--max-semi-space-size=4", "/app/bin/northgate.js"]
CMD ["--help"]
