// The things interface A knows, in memory and in the entity store alike. Of what is secret it keeps a hash.

import { createHash, randomBytes } from 'node:crypto'
import type { EntityStore } from '../store.ts'
import type { JobProgress } from './progress.ts'

/** A user who may ask for tokens; the password is not kept. */
interface Login {
  readonly id: number
  readonly name: string
}

/** Kept by the hash of the access token. Times: milliseconds since 1970. */
interface IssuedToken {
  readonly id: number
  readonly userId: number
  readonly created: number
  readonly expires: number
}

interface Signup {
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
  /** Its signup. Null when it was there before any. */
  readonly signupId: string | null
  /** service-interface.md#client-properties. Null when never set. */
  readonly properties: Readonly<Record<string, unknown>> | null
}

interface Invite {
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

export interface Kinds {
  login: Login
  token: IssuedToken
  signup: Signup
  client: Client
  invite: Invite
  connection: Connection
  job: Job
  dashboards: Job<string>
  /** Kept by the hash of the key. */
  'import-key': { readonly clientId: number }
}

/** A record to keep, or to forget when its value is `undefined`. */
export type Change = {
  [K in keyof Kinds]: readonly [kind: K, id: string | number, value: Kinds[K] | undefined]
}[keyof Kinds]

export class Records {
  readonly #store: EntityStore
  readonly #maps = new Map<string, Map<string, unknown>>()

  /** Reads what `store` has kept; kinds that a later release has put there are passed over. */
  constructor(store: EntityStore) {
    this.#store = store
    for (const { kind, id, json } of store.entities()) this.#of(kind).set(id, JSON.parse(json))
  }

  get<K extends keyof Kinds>(kind: K, id: string | number): Kinds[K] | undefined {
    return this.#of<Kinds[K]>(kind).get(String(id))
  }

  /** Records of a kind in the order they came. */
  all<K extends keyof Kinds>(kind: K): readonly Kinds[K][] {
    return [...this.#of<Kinds[K]>(kind).values()]
  }

  /** Records of a kind in the order they came, each with what it is kept by. */
  entries<K extends keyof Kinds>(kind: K): readonly (readonly [id: string, value: Kinds[K]])[] {
    return [...this.#of<Kinds[K]>(kind)]
  }

  /** Keeps all changes or none; they are kept when it returns. Throws what the store throws, and has changed nothing
   *  then. */
  keep(...changes: readonly Change[]): void {
    if (changes.length === 0) return
    this.#store.put(
      changes.map(([kind, id, value]) => ({ kind, id: String(id), json: value && JSON.stringify(value) })),
    )
    for (const [kind, id, value] of changes) {
      if (value === undefined) this.#of(kind).delete(String(id))
      else this.#of(kind).set(String(id), value)
    }
  }

  #of<V>(kind: string): Map<string, V> {
    const known = this.#maps.get(kind) ?? new Map<string, unknown>()
    this.#maps.set(kind, known)
    return known as Map<string, V>
  }
}

/** A secret to give out, 64 hexadecimal digits. */
export function secretText(): string {
  return randomBytes(32).toString('hex')
}

/** SHA-256 of the text's UTF-8, in hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
