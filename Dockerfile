# The connector as an image: the first stage compiles, the second holds what runs and nothing else. The code is the same for
# every architecture; nothing of it is native.

# With a digest once `npm run pin -- images` has written one; --build-arg NODE_IMAGE=NAME takes another.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /airbyte/integration_code
COPY package.json package-lock.json ./
# without scripts: none is needed, and this image has a Node of its own
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json rolldown.config.ts ./
COPY spec ./spec
COPY src ./src
# readable for every user, however private the checkout is
RUN npm run build && chmod -R a+rX dist spec
# What V8 makes of the code in a first run is kept for those to come: a start takes a fifth less. It holds for this path, this
# Node, this kind of processor and this user; for others it is as if it were not there.
ENV NODE_COMPILE_CACHE=/airbyte/integration_code/compiled
RUN mkdir compiled && chown 1000:1000 compiled
USER 1000:1000
RUN node dist/main.js spec >/dev/null \
 && node dist/main.js demo >/dev/null \
 && for command in check 'write --catalog absent' 'plan --catalog absent' onboard stream 'stream --check'; do \
      node dist/main.js $command --config absent >/dev/null 2>&1 || true; \
    done \
 && chmod -R a+rX compiled

# The manifest, with the commit it was made of if its publisher says one: a summary tells it.
FROM build AS manifest
ARG REVISION=
USER 0
RUN { [ -z "$REVISION" ] || npm pkg set "gitHead=$REVISION"; } && chmod a+r package.json

# Of that base the files that run, and nothing that could install more: Node, which has certificates of its own, a shell and its
# tools, because platforms start the image by `sh`, time zones, and the libraries of these. Debian's list of packages names what is
# left, for whoever looks for known vulnerabilities. /data is for volumes (rows of `serve --data`, a journal, dead letters): user
# 1000 may write there, and any user of group 0.
FROM ${NODE_IMAGE} AS system
RUN set -eu; mkdir -p /system/var/lib/dpkg; \
    wanted='base-files coreutils dash libstdc++6 tzdata'; \
    for depth in 1 2 3 4 5; do \
      wanted=$(dpkg-query --show --showformat '${Package},${Pre-Depends},${Depends}\n' $wanted 2>/dev/null | tr ',|' '\n\n' \
        | sed 's/^ *//; s/[ :(].*//; /^$/d; /awk$/d; /^debconf/d; /^debianutils$/d; /^dpkg$/d' | sort --unique); \
    done; \
    packages=$(dpkg-query --show --showformat '${Package}\n' $wanted 2>/dev/null); \
    dpkg-query --status $packages >/system/var/lib/dpkg/status; \
    dpkg-query --listfiles $packages \
      | sed -E '/^\//!d; s,^/(s?bin|lib[0-9a-z]*)(/|$),/usr/\1\2,' \
      | grep -vE '^/usr/share/(bug|info|lintian|locale|man)/|^/usr/share/doc/.*/[^c][^/]*$' \
      | sort --unique | while read -r file; do [ ! -e "$file" ] && [ ! -L "$file" ] || echo ".$file"; done >/tmp/files; \
    for file in bin sbin lib lib64 etc/group etc/localtime etc/nsswitch.conf etc/passwd home/node usr/local/LICENSE usr/local/bin/node; do \
      [ ! -e "/$file" ] || echo "./$file"; \
    done >>/tmp/files; \
    tar --create --directory / --no-recursion --files-from /tmp/files | tar --extract --directory /system; \
    install --directory --owner 1000 --group 0 --mode 775 /system/data; \
    chroot /system sh -c 'node --version && ls /'

FROM scratch
COPY --from=system /system /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LABEL org.opencontainers.image.title="destination-analytics-service" \
      org.opencontainers.image.description="Airbyte destination for the Analytics Service: records in, upserted tables out, nothing lost" \
      org.opencontainers.image.version="0.3.0" \
      org.opencontainers.image.licenses="Apache-2.0" \
      io.airbyte.name="destination-analytics-service" \
      io.airbyte.version="0.3.0"
WORKDIR /airbyte/integration_code
COPY LICENSE ./
COPY --from=build /airbyte/integration_code/spec ./spec
COPY --from=build /airbyte/integration_code/dist ./dist
COPY --from=build --chown=0:0 /airbyte/integration_code/compiled ./compiled
USER 1000:1000
# Half of the container's memory for the heap; buffers and Node itself need the rest. V8's own choice is 256 MB at least, however
# little there is.
ENV NODE_ENV=production \
    START_COMMAND='docker run --rm -i --network host -e LOG_LEVEL -v "$PWD:/data" -w /data destination-analytics-service:0.3.0' \
    NODE_OPTIONS=--max-old-space-size-percentage=50 \
    NODE_COMPILE_CACHE=/airbyte/integration_code/compiled
# Platforms run this through a shell in a folder of theirs, other runners the entry point: both say the same.
ENV AIRBYTE_ENTRYPOINT="/usr/local/bin/node /airbyte/integration_code/dist/main.js"
ENTRYPOINT ["/usr/local/bin/node", "/airbyte/integration_code/dist/main.js"]
COPY --from=manifest /airbyte/integration_code/package.json ./
# Whose it is and what it was made of, as its publisher says (docs/releasing.md); empty: not said. Last, so that nothing above is
# made anew for another commit.
ARG URL=
ARG SOURCE=${URL}
ARG DOCUMENTATION=${URL}
ARG VENDOR=
ARG REVISION=
ARG CREATED=
LABEL org.opencontainers.image.url="${URL}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.documentation="${DOCUMENTATION}" \
      org.opencontainers.image.vendor="${VENDOR}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
