// The schemas of a run: the way to the registry, and what reads each kind of them.

import type { OutageEvents } from '../../core/network.ts'
import type { Say } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { avroDecoder } from '../../registry/avro/avro-decoder.ts'
import { makeJsonSchemaDecoder } from '../../registry/json-schema-decoder.ts'
import { protobufDecoder } from '../../registry/protobuf/protobuf-decoder.ts'
import { createSchemaStore } from '../../registry/schema-store.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import { registryRoute } from './registry-route.ts'
import type { RegistryRoute, RegistryRouteOptions } from './registry-route.ts'

/** Disposing of it ends all questions. */
export interface OpenSchemas extends AsyncDisposable {
  readonly store: SchemaStore
  readonly route: RegistryRoute
}

export interface OpenSchemasOptions extends RegistryRouteOptions {
  /** Of JSON that a value becomes, unless it is half as large itself. */
  readonly mostBytes: number
}

/** Asks nothing yet.
 *  @param outage told how each question ends
 *  @throws ConnectorError config when the token can be no token */
export function openSchemas(options: OpenSchemasOptions, say: Say, outage?: OutageEvents): OpenSchemas {
  const route = registryRoute(options)
  const store = createSchemaStore({
    ask: route.ask,
    address: route.address,
    mostBytes: options.mostBytes,
    clock: systemClock,
    outage,
    make: { AVRO: avroDecoder, JSON: makeJsonSchemaDecoder, PROTOBUF: protobufDecoder },
    said: (level, message) => void say(level, options.scrub(message)),
  })
  return { store, route, [Symbol.asyncDispose]: () => route[Symbol.asyncDispose]() }
}
