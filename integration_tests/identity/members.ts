// Many members of a group in this process, each with tokens of its own, and each asking a registry too. Knows no case.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadStreamConfig } from '../../src/config/stream/stream-load.ts'
import { openLogins } from '../../src/kafka/source/open-logins.ts'
import { registryRoute } from '../../src/kafka/source/registry-route.ts'
import { systemClock } from '../../src/process/system-clock.ts'
import { Scrubber } from '../../src/secrets/scrubber.ts'
import { uniqueName } from '../kafka/available.ts'
import { Member } from '../kafka/member.ts'
import { quietKafkajs } from '../kafka/quiet-kafkajs.ts'
import { saslOf, type Scene } from './round.ts'

export interface Members extends AsyncDisposable {
  /** Resolves when each has its assignment. */
  join(): Promise<void>
}

/** Starts them at once: as a process each would, with a token of its own for its connections and the registry. */
export async function startMembers(count: number, scene: Scene, registryUrl: string): Promise<Members> {
  quietKafkajs()
  const { stream, broker } = scene
  const [topic, group] = [await stream.topic(count), uniqueName('members')]
  const file = await stream.config({
    topics: [{ topic, keys: ['id'], value_encoding: 'registry' }],
    group,
    kafka: { brokers: [broker.address('OAUTH')], sasl: await saslOf(scene) },
    config: {
      schema_registry: { url: registryUrl, oauth: 'kafka' },
      api_key: { file: join(stream.work.path, 'api-key') },
    },
  })
  const stack = new AsyncDisposableStack()
  const io = { env: {}, scrubber: new Scrubber() }
  const quiet = { clock: systemClock, log: async () => {} }
  const members = await Promise.all(
    Array.from({ length: count }, async () => {
      const text = await readFile(file, 'utf8')
      const { config } = await loadStreamConfig(text, { env: {}, file, learn: () => {} })
      const identity = stack.use(await openLogins(config, { io, ...quiet }))
      await identity.tokens[0]!.ready()
      const { kafka, registry } = identity.config
      const { brokers } = kafka
      const member = stack.use(new Member({ brokers, connection: kafka, group, topics: [topic] }))
      const route = stack.use(
        registryRoute({ ...registry!, scrub: io.scrubber.scrub, proxy: undefined, requestTimeoutMs: 10_000 }),
      )
      await route.ask('/subjects', new AbortController().signal)
      return member
    }),
  )
  return {
    async join() {
      await Promise.all(members.map((member) => member.until((it) => it.of('assigned').length > 0)))
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
