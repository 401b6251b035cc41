// Caches the schemas of a registry, and loads missing ones: each once, however many callers wait for it.

import { Fifo } from '../core/queues.ts'
import { until } from '../process/waiting.ts'
import { SchemaFetcher, type FetchedSchema, type FetchProblem } from './fetch-schema.ts'
import { RetryingClient, type AskRegistry, type RetryingClientOptions } from './retrying-client.ts'
import { Recent } from './recent.ts'
import type { MakeDecoder, SchemaId, SchemaProblem, SchemaType, ValueDecoder } from './types.ts'
import { UnknownSchemas } from './unknown-schemas.ts'

/** Schemas kept. */
const KEPT = 10_000
/** Requests at once, at most. */
const MOST_AT_ONCE = 8
/** Between the requests in the background, of all ids together. */
const PAUSE_MS = 200

export type SchemaStore = Pick<CachingStore, 'known' | 'load' | 'waitsBecause'>

export interface SchemaStoreOptions extends RetryingClientOptions {
  readonly make: Readonly<Record<SchemaType, MakeDecoder>>
  /** Most bytes of JSON that a value becomes: see `MakeDecoder`. */
  readonly mostBytes?: number | undefined
  /** Schemas whose rules are not applied, and those that a decoder warns of. */
  readonly log: (level: 'info' | 'warn', message: string) => void
}

/** A schema that is being loaded. */
interface Loading {
  readonly id: SchemaId
  readonly controller: AbortController
  /** Resolves when `known` answers for it. */
  readonly done: Promise<void>
  /** Callers that wait for it. */
  waiters: number
}

/** Disposing of it ends what it asks in the background. */
export class CachingStore implements Disposable {
  readonly #options: SchemaStoreOptions
  readonly #client: RetryingClient
  readonly #fetcher: SchemaFetcher
  readonly #found = new Recent<SchemaId, ValueDecoder | SchemaProblem>(KEPT)
  readonly #unknown: UnknownSchemas
  readonly #loadings = new Map<SchemaId, Loading>()
  readonly #queue = new Fifo<() => void>()
  /** Requests that are under way; others wait in `#queue` for one of their MOST_AT_ONCE places. */
  #underway = 0

  constructor(options: SchemaStoreOptions) {
    this.#options = options
    this.#client = new RetryingClient(options)
    this.#fetcher = new SchemaFetcher(this.#client, options.address)
    const ask: AskRegistry = async (path, signal) => {
      await options.clock.wait(PAUSE_MS, signal)
      signal.throwIfAborted()
      return await options.ask(path, signal)
    }
    // nothing waits for what is asked in the background, so it makes no outage
    const background = new SchemaFetcher(new RetryingClient({ ...options, ask, outage: undefined }), options.address)
    this.#unknown = new UnknownSchemas(options.clock, async (id, signal) => {
      const fetched = await background.fetch(id, signal)
      if (!mayPass(fetched)) this.#keep(id, fetched)
    })
  }

  [Symbol.dispose](): void {
    this.#unknown[Symbol.dispose]()
  }

  /** Why the registry is waited for, in words that follow "waiting:". `undefined` when it is not. */
  get waitsBecause(): string | undefined {
    return this.#client.waitsBecause
  }

  /** The decoder of a cached schema, or why there is none. `undefined` when it is not cached (any more): see `load`. */
  known(id: SchemaId): ValueDecoder | SchemaProblem | undefined {
    return this.#found.get(id) ?? this.#unknown.get(id)
  }

  /** Resolves when `known` has answered for each: it goes on doing so for the 10,000 used last, and for what the registry does not
   *  know as long as it is asked for once a minute. A registry that is out of reach is waited for. One request a schema at a
   *  time, however many ask, and broken off only when none of them waits any more.
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

  /** Waits for a loading that is under way already, or begins one. */
  #join(id: SchemaId): Loading {
    const underway = this.#loadings.get(id)
    if (underway) {
      underway.waiters++
      return underway
    }
    const controller = new AbortController()
    const done = this.#fetchUntilCertain(id, controller.signal)
    // it may fail when no caller waits any more
    done.catch(() => {})
    const loading = { id, controller, done, waiters: 1 }
    this.#loadings.set(id, loading)
    const onEnd = (): void => void this.#forget(loading)
    done.then(onEnd, onEnd)
    return loading
  }

  /** Breaks it off when no caller waits any more. */
  #leave(loading: Loading): void {
    if (--loading.waiters === 0 && this.#forget(loading)) loading.controller.abort()
  }

  /** Takes it out, so that the next caller starts a new request.
   *  @returns whether it was still under way */
  #forget(loading: Loading): boolean {
    return this.#loadings.get(loading.id) === loading && this.#loadings.delete(loading.id)
  }

  async #fetchUntilCertain(id: SchemaId, signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries++) {
      const fetched = await this.#fetchInTurn(id, signal)
      if (!mayPass(fetched)) return this.#keep(id, fetched)
      const pauseMs = this.#unknown.pauseBefore(id, tries)
      if (pauseMs === undefined) return this.#unknown.believe(id, fetched.problem)
      await this.#options.clock.wait(pauseMs, signal)
    }
  }

  async #fetchInTurn(id: SchemaId, signal: AbortSignal): Promise<Fetched> {
    if (this.#underway === MOST_AT_ONCE) await new Promise<void>((resolve) => this.#queue.push(resolve))
    else this.#underway++
    try {
      signal.throwIfAborted()
      return await this.#fetcher.fetch(id, signal)
    } finally {
      const next = this.#queue.shift()
      if (next) next()
      else this.#underway--
    }
  }

  #keep(id: SchemaId, fetched: Fetched): void {
    const { make, mostBytes, log } = this.#options
    this.#unknown.forget(id)
    if ('problem' in fetched) return this.#found.set(id, { problem: fetched.problem })
    const { schema, rules } = fetched
    if (rules.length > 0) log('warn', rulesLine(id, rules))
    const made = make[schema.type](schema, mostBytes)
    if ('warning' in made && made.warning !== undefined) log('warn', `Schema ${id} ${made.warning}`)
    this.#found.set(id, made)
  }
}

type Fetched = FetchedSchema | FetchProblem

function mayPass(fetched: Fetched): fetched is FetchProblem {
  return 'problem' in fetched && fetched.passes
}

function rulesLine(id: SchemaId, rules: readonly string[]): string {
  const named = rules.slice(0, 5).map((type) => type.replace(/[^\w-]/g, '_').slice(0, 40))
  return `Schema ${id} has rules for its readers (${named.join(', ')}) that are not applied: its values are taken as they were written, encrypted fields too.`
}
