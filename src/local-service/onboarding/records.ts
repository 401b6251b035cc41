// The records of interface A (onboarding): what it knows, in memory and in the entity store alike. They have hashes in place of secrets.

import { createHash, randomBytes } from 'node:crypto'
import type { EntityStore } from '../store.ts'
import type { JobProgress } from './progress.ts'

/** A user who may ask for tokens; the password is not kept. */
interface Login {
  readonly id: number
  readonly name: string
}

/** An access token. It is not kept itself: the record is kept under its hash. Times are milliseconds since 1970. */
interface IssuedToken {
  readonly id: number
  readonly userId: number
  readonly created: number
  readonly expires: number
}

interface Signup {
  readonly id: string
  /** The client that exists once `progress` has succeeded. It is told with `pubkey`, an SSH public key that nothing here uses. */
  readonly clientId: number
  readonly company: string
  readonly pubkey: string
  readonly progress: JobProgress
}

export interface Client {
  readonly id: number
  readonly name: string
  /** Null for a client that the service was started with. */
  readonly signupId: string | null
  /** See service-interface.md#client-properties. Null when never set. */
  readonly properties: Readonly<Record<string, unknown>> | null
}

interface Invite {
  readonly id: number
  readonly inviterUserId: number
  readonly clientId: number
  readonly email: string
}

/** An input connection: `type` (`mysql`) and both names as its request had them. `metaId` is a second id; calls may use either. */
export interface Connection {
  readonly id: number
  readonly metaId: number
  readonly clientId: number
  readonly type: string
  readonly name: string
  readonly displayName: string
  /** See service-interface.md#input-connection; secrets are left out. */
  readonly properties: Readonly<Record<string, string | null>>
  readonly progress: JobProgress
}

/** A connection test or, where `I` is string, a dashboard creation job: its id is a UUID. */
export interface Job<I = number> {
  readonly id: I
  readonly clientId: number
  readonly connectionId: number
  readonly progress: JobProgress
}

export interface Kinds {
  /** Kept under the user's name; others under their own ids, where nothing else is said. */
  login: Login
  token: IssuedToken
  signup: Signup
  client: Client
  invite: Invite
  connection: Connection
  job: Job
  dashboards: Job<string>
  /** A key for imports. It is not kept itself: the record is kept under its hash. */
  'import-key': { readonly clientId: number }
}

/** A record to keep under an id, or to remove when its value is `undefined`. */
export type Change = {
  [K in keyof Kinds]: readonly [kind: K, id: string | number, value: Kinds[K] | undefined]
}[keyof Kinds]

export class Records {
  readonly #store: EntityStore
  /** Records by their kind and their id. */
  readonly #maps = new Map<string, Map<string, unknown>>()

  /** Reads what `store` has kept. Kinds of a later release do no harm, as they are never asked for. */
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

  /** Records of a kind in the order they came, each with the id that it is kept under. */
  entries<K extends keyof Kinds>(kind: K): readonly (readonly [id: string, value: Kinds[K]])[] {
    return [...this.#of<Kinds[K]>(kind)]
  }

  /** Makes all changes, here and in the store. Throws what the store throws, and has then changed nothing. */
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

  /** The records of a kind by their ids. */
  #of<V>(kind: string): Map<string, V> {
    const ofKind = this.#maps.get(kind) ?? new Map<string, unknown>()
    this.#maps.set(kind, ofKind)
    return ofKind as Map<string, V>
  }
}

/** Makes a secret to give out (a token, a key), of 64 hexadecimal digits. */
export function secretText(): string {
  return randomBytes(32).toString('hex')
}

/** SHA-256 of the text's UTF-8, in hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
