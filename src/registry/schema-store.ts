// Caches decoders for the schemas of a registry, and loads missing schemas: each once, however many callers wait for it.

import { Fifo } from '../core/queues.ts'
import { until } from '../process/waiting.ts'
import { SchemaFetcher, type FetchedSchema, type FetchProblem } from './fetch-schema.ts'
import { RetryingClient, type AskRegistry, type RetryingClientOptions } from './retrying-client.ts'
import { Recent } from './recent.ts'
import type { MakeDecoder, SchemaId, SchemaProblem, SchemaType, ValueDecoder } from './types.ts'
import { UnknownSchemas } from './unknown-schemas.ts'

const MOST_CACHED = 10_000
/** The most requests at once that records wait for. */
const MOST_AT_ONCE = 8
/** The pause before each request in the background. They come one after another. */
const PAUSE_MS = 200

/** The part of a store that readers of records use. */
export type SchemaStore = Pick<CachingStore, 'known' | 'load' | 'waitsBecause'>

export interface SchemaStoreOptions extends RetryingClientOptions {
  readonly make: Readonly<Record<SchemaType, MakeDecoder>>
  /** The most bytes of JSON that a value may become: see `MakeDecoder`. */
  readonly mostBytes?: number | undefined
  /** Told of schemas whose rules are not applied, and of those that a decoder has a warning for. */
  readonly log: (level: 'info' | 'warn', message: string) => void
}

/** A schema that is being loaded. */
interface Loading {
  readonly id: SchemaId
  readonly controller: AbortController
  /** Resolves when `known` answers for it. */
  readonly done: Promise<void>
  waiters: number
}

/** The schemas of one registry. Disposing of it ends the requests in the background, for ids that the registry did not know. */
export class CachingStore implements Disposable {
  readonly #options: SchemaStoreOptions
  readonly #client: RetryingClient
  readonly #fetcher: SchemaFetcher
  /** Decoders, and why a schema can have none, which no later answer of the registry would change. */
  readonly #cached = new Recent<SchemaId, ValueDecoder | SchemaProblem>(MOST_CACHED)
  readonly #unknown: UnknownSchemas
  readonly #loadings = new Map<SchemaId, Loading>()
  /** Fetches under way, MOST_AT_ONCE at most. */
  #underway = 0
  /** Starts of the fetches that wait for one of these to end. */
  readonly #queue = new Fifo<() => void>()

  constructor(options: SchemaStoreOptions) {
    this.#options = options
    this.#client = new RetryingClient(options)
    this.#fetcher = new SchemaFetcher(this.#client, options.address)
    const askSlowly: AskRegistry = async (path, signal) => {
      await options.clock.wait(PAUSE_MS, signal)
      signal.throwIfAborted()
      return await options.ask(path, signal)
    }
    // no record waits for requests in the background, so their failures are no outage
    const slowClient = new RetryingClient({ ...options, ask: askSlowly, outage: undefined })
    const background = new SchemaFetcher(slowClient, options.address)
    this.#unknown = new UnknownSchemas(options.clock, async (id, signal) => {
      const fetched = await background.fetch(id, signal)
      if (!mayChange(fetched)) this.#cache(id, fetched)
    })
  }

  [Symbol.dispose](): void {
    this.#unknown[Symbol.dispose]()
  }

  /** Why the registry is waited for, in words that follow "waiting:". `undefined` when it is not. */
  get waitsBecause(): string | undefined {
    return this.#client.waitsBecause
  }

  /** The decoder of a schema, or why its values cannot be read. `undefined` when neither is known, or not any more: then call `load`. */
  known(id: SchemaId): ValueDecoder | SchemaProblem | undefined {
    return this.#cached.get(id) ?? this.#unknown.get(id)
  }

  /** Loads the schemas that are not known yet, and resolves when `known` answers for each. `known` goes on to answer for the 10,000 used
   *  last; for an id that is unknown to the registry, as long as it is asked for once a minute. A registry out of reach is waited for.
   *  A schema is fetched once at a time, however many callers wait; its request is broken off when none of them waits any more.
   *  @throws ConnectorError config when the registry refuses us, or no registry answers; signal.reason when that aborts */
  async load(ids: Iterable<SchemaId>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const loadings = [...ids].filter((id) => this.known(id) === undefined).map((id) => this.#join(id))
    try {
      await until(Promise.all(loadings.map(({ done }) => done)), signal)
    } finally {
      for (const loading of loadings) this.#leave(loading)
    }
  }

  /** Adds a caller to the loading of a schema, which begins if it is not under way already. */
  #join(id: SchemaId): Loading {
    const underway = this.#loadings.get(id)
    if (underway) {
      underway.waiters++
      return underway
    }
    const controller = new AbortController()
    const done = this.#fetchUntilCertain(id, controller.signal)
    // a failure when no caller waits any more must not end the process
    done.catch(() => {})
    const loading = { id, controller, done, waiters: 1 }
    this.#loadings.set(id, loading)
    const onEnd = (): void => void this.#forget(loading)
    done.then(onEnd, onEnd)
    return loading
  }

  /** Takes a caller away from a loading, which is broken off when no other waits. */
  #leave(loading: Loading): void {
    if (--loading.waiters === 0 && this.#forget(loading)) loading.controller.abort()
  }

  /** Takes a loading out of the list, so that the next caller begins a new one. Returns whether it was still there. */
  #forget(loading: Loading): boolean {
    return this.#loadings.get(loading.id) === loading && this.#loadings.delete(loading.id)
  }

  /** Fetches a schema. While the registry does not know it, tries again, until that is believed. Resolves when `known` answers for it. */
  async #fetchUntilCertain(id: SchemaId, signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries++) {
      const fetched = await this.#fetchInTurn(id, signal)
      if (!mayChange(fetched)) return this.#cache(id, fetched)
      const pauseMs = this.#unknown.pauseBefore(id, tries)
      if (pauseMs === undefined) return this.#unknown.believe(id, fetched.problem)
      await this.#options.clock.wait(pauseMs, signal)
    }
  }

  /** Fetches a schema as soon as one of the MOST_AT_ONCE places is free. A fetch that ends hands its place to the next in the queue. */
  async #fetchInTurn(id: SchemaId, signal: AbortSignal): Promise<Fetched> {
    if (this.#underway === MOST_AT_ONCE) await new Promise<void>((resolve) => this.#queue.push(resolve))
    else this.#underway++
    try {
      signal.throwIfAborted()
      return await this.#fetcher.fetch(id, signal)
    } finally {
      const startNext = this.#queue.shift()
      if (startNext) startNext()
      else this.#underway--
    }
  }

  #cache(id: SchemaId, fetched: Fetched): void {
    const { make, mostBytes, log } = this.#options
    this.#unknown.forget(id)
    if ('problem' in fetched) return this.#cached.set(id, { problem: fetched.problem })
    const { schema, rules } = fetched
    if (rules.length > 0) log('warn', rulesLine(id, rules))
    const made = make[schema.type](schema, mostBytes)
    if ('warning' in made && made.warning !== undefined) log('warn', `Schema ${id} ${made.warning}`)
    this.#cached.set(id, made)
  }
}

type Fetched = FetchedSchema | FetchProblem

/** Whether the registry may answer otherwise later. */
function mayChange(fetched: Fetched): fetched is FetchProblem {
  return 'problem' in fetched && fetched.mayChange
}

function rulesLine(id: SchemaId, rules: readonly string[]): string {
  const named = rules.slice(0, 5).map((type) => type.replace(/[^\w-]/g, '_').slice(0, 40))
  return `Schema ${id} has rules for its readers (${named.join(', ')}) that are not applied: its values are taken as they were written, encrypted fields too.`
}
