// The things interface A knows, in memory and in the entity store alike.

import type { EntityStore } from '../store.ts'
import type { JobProgress } from './progress.ts'

/** Somebody who may ask for tokens; the password is not kept. */
export interface Login {
  readonly id: number
  readonly name: string
}

/** Kept by the hash of the access token. Times: milliseconds since 1970. */
export interface Token {
  readonly id: number
  readonly userId: number
  readonly created: number
  readonly expires: number
}

export interface Signup {
  readonly id: string
  /** The client that exists once `progress` has succeeded. */
  readonly clientId: number
  readonly company: string
  readonly pubkey: string
  readonly progress: JobProgress
}

export interface Client {
  readonly id: number
  readonly name: string
  /** Null: one that was there without a signup. */
  readonly signupId: string | null
  /** service-interface.md#client-properties; null: never set. */
  readonly properties: Readonly<Record<string, unknown>> | null
}

export interface Invite {
  readonly id: number
  readonly inviterUserId: number
  readonly clientId: number
  readonly email: string
}

export interface Connection {
  readonly id: number
  readonly metaId: number
  readonly clientId: number
  readonly type: string
  readonly name: string
  readonly displayName: string
  /** service-interface.md#input-connection, nothing secret in them. */
  readonly properties: Readonly<Record<string, string | null>>
  readonly progress: JobProgress
}

/** A connection test or, with a text as its id, a dashboard creation job. */
export interface Job<I = number> {
  readonly id: I
  readonly clientId: number
  readonly connectionId: number
  readonly progress: JobProgress
}

/** Kept by the hash of the key. */
export interface ImportKey {
  readonly clientId: number
}

export interface Kinds {
  login: Login
  token: Token
  signup: Signup
  client: Client
  invite: Invite
  connection: Connection
  job: Job
  dashboards: Job<string>
  'import-key': ImportKey
}

type Maps = { readonly [K in keyof Kinds]: Map<string, Kinds[K]> }

/** `value`: undefined, it is to be forgotten. */
export type Change = {
  [K in keyof Kinds]: readonly [kind: K, id: string | number, value: Kinds[K] | undefined]
}[keyof Kinds]

export class Records {
  readonly #store: EntityStore
  readonly #maps: Maps = {
    login: new Map(),
    token: new Map(),
    signup: new Map(),
    client: new Map(),
    invite: new Map(),
    connection: new Map(),
    job: new Map(),
    dashboards: new Map(),
    'import-key': new Map(),
  }

  /** Reads what `store` has kept; what a later release has put there is passed over. */
  constructor(store: EntityStore) {
    this.#store = store
    for (const { kind, id, json } of store.entities()) {
      if (Object.hasOwn(this.#maps, kind)) this.#set(kind as keyof Kinds, id, JSON.parse(json))
    }
  }

  get<K extends keyof Kinds>(kind: K, id: string | number): Kinds[K] | undefined {
    return this.#maps[kind].get(String(id))
  }

  /** In the order they came. */
  all<K extends keyof Kinds>(kind: K): readonly Kinds[K][] {
    return [...this.#maps[kind].values()]
  }

  /** The same, each with what it is kept by. */
  entries<K extends keyof Kinds>(kind: K): readonly (readonly [id: string, value: Kinds[K]])[] {
    return [...this.#maps[kind]]
  }

  /** All or none; they are kept when it returns. Throws what the store throws, and has changed nothing then. */
  keep(...changes: readonly Change[]): void {
    if (changes.length === 0) return
    this.#store.put(
      changes.map(([kind, id, value]) => ({ kind, id: String(id), json: value && JSON.stringify(value) })),
    )
    for (const [kind, id, value] of changes) this.#set(kind, String(id), value)
  }

  #set(kind: keyof Kinds, id: string, value: unknown): void {
    const map = this.#maps[kind] as Map<string, unknown>
    if (value === undefined) map.delete(id)
    else map.set(id, value)
  }
}
