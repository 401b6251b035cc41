// Knows the clients and their keys, and masks keys and other secrets in texts that are shown. Clients and keys are given (at the start of
// the service) or recorded (later). A recorded client exists once its signup has succeeded; of a recorded key only a hash is kept.

import { ConnectorError, NO_CODE } from '../core/errors.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { hasSucceeded } from './onboarding/progress.ts'
import { hashOf, Records, type Client } from './onboarding/records.ts'
import { UNKEPT } from './store.ts'

/** Replaces secrets in a text.
 *  @param isCut whether `text` is cut off: then its end is left out where that may be the beginning of a secret */
export type Mask = (text: string, isCut?: boolean) => string

/** The key of the client that exists when no client is given. It is no secret. */
export const DEMO_KEY = 'demo-key'

/** One key of one client; a client with several keys is named several times. */
export interface ClientKey {
  readonly id: number
  readonly key: string
}

/** Characters of the shortest key that is masked. A shorter one may be any word, which would then be masked everywhere. */
const SHORTEST_MASKED = 6

export class Clients {
  /** Given keys by the ids of their clients. */
  readonly #givenKeys = new Map<number, Set<string>>()
  /** The secrets that `mask` replaces. */
  readonly #hidden = new Set<string>()
  /** Replaces `#hidden` in texts. `undefined` after that has grown; then `mask` makes another. */
  #scrubber: Scrubber | undefined
  readonly #records: Records
  readonly #now: () => number

  /** @param given the keys that the service is started with, at least one
   *  @param records of interface A (onboarding), with the clients that signed up there; by default none
   *  @throws ConnectorError config when an id is no whole number from 0 */
  constructor(given: readonly ClientKey[], records = new Records(UNKEPT), now: () => number = Date.now) {
    this.#records = records
    this.#now = now
    for (const { id, key } of given) {
      if (!Number.isSafeInteger(id) || id < 0) {
        throw new ConnectorError('config', NO_CODE, `A client id is a whole number from 0, found ${id}.`)
      }
      this.#givenKeys.set(id, (this.#givenKeys.get(id) ?? new Set()).add(key))
      this.hide([key])
    }
  }

  /** Ids of the clients: those that were given, then those that signed up. */
  ids(): readonly number[] {
    const signedUp = this.#records.all('client').map(({ id }) => id)
    return [...new Set([...this.#givenKeys.keys(), ...signedUp])].filter((id) => this.has(id))
  }

  has(id: number): boolean {
    return this.#givenKeys.has(id) || this.#recordOf(id) !== undefined
  }

  get(id: number): Client | undefined {
    const given = { id, name: `Client ${id}`, signupId: null, properties: null }
    return this.#recordOf(id) ?? (this.#givenKeys.has(id) ? given : undefined)
  }

  /** The record of a client, which a given one has once it was changed. `undefined` when there is none, or its signup has not succeeded. */
  #recordOf(id: number): Client | undefined {
    const client = this.#records.get('client', id)
    if (client === undefined || client.signupId === null) return client
    const signup = this.#records.get('signup', client.signupId)
    return signup !== undefined && hasSucceeded(signup.progress, this.#now()) ? client : undefined
  }

  /** The first given client, and its key where that is no secret: with these the page shows how to write into tables. */
  get shown(): { readonly client_id: number; readonly key: string | null } {
    const [id, keys] = this.#givenKeys.entries().next().value!
    return { client_id: id, key: keys.has(DEMO_KEY) ? DEMO_KEY : null }
  }

  /** How many import keys a client has, given and recorded. */
  keyCount(id: number): number {
    const recorded = this.#records.all('import-key').filter(({ clientId }) => clientId === id)
    return (this.#givenKeys.get(id)?.size ?? 0) + recorded.length
  }

  /** The id of the client that `text` names. `undefined` when it names none. An id has one spelling: no sign, no leading zeros. */
  idOf(text: string | undefined): number | undefined {
    if (text === undefined || !/^(?:0|[1-9]\d*)$/.test(text)) return undefined
    const id = Number(text)
    return String(id) === text && this.has(id) ? id : undefined
  }

  /** Adds to the secrets that `mask` replaces. */
  hide(secrets: Iterable<string>): void {
    for (const text of secrets) {
      if (text.length < SHORTEST_MASKED || this.#hidden.has(text)) continue
      this.#hidden.add(text)
      this.#scrubber = undefined
    }
  }

  /** Replaces given keys, other keys that have been used since the start, and what else `hide` was told, however they are encoded. */
  readonly mask: Mask = (text, isCut = false) => {
    this.#scrubber ??= new Scrubber([...this.#hidden])
    return isCut ? this.#scrubber.scrubBeginning(text) : this.#scrubber.scrub(text)
  }

  /** Tells whether a key is one of client `id`. A recorded key, of which only the hash was known, is masked from this use on.
   *  @param readings of the key: a query has one or two (readParameter) */
  allows(id: number, readings: readonly string[]): boolean {
    const givenKeys = this.#givenKeys.get(id)
    if (readings.some((reading) => givenKeys?.has(reading) === true)) return true
    const recorded = readings.find((reading) => this.#records.get('import-key', hashOf(reading))?.clientId === id)
    if (recorded !== undefined) this.hide([recorded])
    return recorded !== undefined
  }
}
