# The connector as an image: the first stage compiles, the second holds what runs and nothing else.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# without scripts: `prepare` has nothing to compile yet, and this image has a Node of its own
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json rolldown.config.ts ./
COPY spec ./spec
COPY src ./src
# readable for every user, however private the checkout is
RUN npm run build && chmod -R a+rX dist spec

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="destination-analytics-service" \
      org.opencontainers.image.description="Airbyte destination for the Analytics Service: records in, upserted tables out, nothing lost" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0" \
      io.airbyte.name="destination-analytics-service" \
      io.airbyte.version="0.1.0"
ENV NODE_ENV=production
WORKDIR /airbyte/integration_code
COPY LICENSE package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --cache /tmp/npm && rm -rf /tmp/npm && chmod -R a+rX .
COPY --from=build /build/spec ./spec
COPY --from=build /build/dist ./dist
USER 1000:1000
# Platforms run this through a shell in a folder of theirs, other runners the entry point: both say the same.
ENV AIRBYTE_ENTRYPOINT="/usr/local/bin/node /airbyte/integration_code/dist/main.js"
ENTRYPOINT ["/usr/local/bin/node", "/airbyte/integration_code/dist/main.js"]
