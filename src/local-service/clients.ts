// Which clients exist and which keys are theirs.

import { ConnectorError } from '../core/errors.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { hasSucceeded } from './onboarding/progress.ts'
import { hashOf } from './onboarding/random-texts.ts'
import { Records } from './onboarding/records.ts'
import type { Client } from './onboarding/records.ts'
import { UNKEPT } from './store.ts'

/** Takes out what may not be shown. `isCut`: the text went on. */
export type Mask = (text: string, isCut?: boolean) => string

/** The key of a client that was given none; no secret. */
export const DEMO_KEY = 'demo-key'

/** One key of one client; a client with several keys is named several times. */
export interface ClientKey {
  readonly id: number
  readonly key: string
}

/** A shorter key may be any word. */
const SHORTEST_MASKED = 6

export class Clients {
  readonly #keys = new Map<number, Set<string>>()
  readonly #hidden = new Set<string>()
  /** Hides all that is hidden. `undefined` when it is to be made anew. */
  #scrubber: Scrubber | undefined
  readonly #records: Records
  readonly #now: () => number

  /** `given`: those that the service was started with, at least one; others sign up. Throws a ConnectorError (config) when an
   *  id is no whole number from 0. */
  constructor(given: readonly ClientKey[], records = new Records(UNKEPT), now: () => number = Date.now) {
    this.#records = records
    this.#now = now
    for (const { id, key } of given) {
      if (!Number.isSafeInteger(id) || id < 0) {
        throw new ConnectorError('config', undefined, `A client id is a whole number from 0, found ${id}.`)
      }
      this.#keys.set(id, (this.#keys.get(id) ?? new Set()).add(key))
      this.hide([key])
    }
  }

  /** The clients it was given first. */
  ids(): readonly number[] {
    const signedUp = this.#records.all('client').map(({ id }) => id)
    return [...new Set([...this.#keys.keys(), ...signedUp])].filter((id) => this.has(id))
  }

  /** Tells whether the service was started with it, or its signup has succeeded. */
  has(id: number): boolean {
    return this.#keys.has(id) || this.#signedUp(id) !== undefined
  }

  get(id: number): Client | undefined {
    const given = { id, name: `Client ${id}`, signupId: null, properties: null }
    return this.#signedUp(id) ?? (this.#keys.has(id) ? given : undefined)
  }

  /** A client that signed up. `undefined` also while its signup goes on. */
  #signedUp(id: number): Client | undefined {
    const client = this.#records.get('client', id)
    if (client === undefined || client.signupId === null) return client
    const signup = this.#records.get('signup', client.signupId)
    return signup !== undefined && hasSucceeded(signup.progress, this.#now()) ? client : undefined
  }

  /** How to write into a client's tables: the first one's, whose key is shown only where it is no secret. */
  get shown(): { readonly client_id: number; readonly key: string | null } {
    const [id, keys] = this.#keys.entries().next().value!
    return { client_id: id, key: keys.has(DEMO_KEY) ? DEMO_KEY : null }
  }

  keyCount(id: number): number {
    const made = this.#records.all('import-key').filter(({ clientId }) => clientId === id)
    return (this.#keys.get(id)?.size ?? 0) + made.length
  }

  /** The client that `text` names. `undefined` when it names none. A number has one spelling: no sign, no leading
   *  zeros. */
  named(text: string | undefined): number | undefined {
    if (text === undefined || !/^(?:0|[1-9]\d*)$/.test(text)) return undefined
    const id = Number(text)
    return String(id) === text && this.has(id) ? id : undefined
  }

  /** From now on `mask` takes these out too. */
  hide(secrets: Iterable<string>): void {
    for (const text of secrets) {
      if (text.length < SHORTEST_MASKED || this.#hidden.has(text)) continue
      this.#hidden.add(text)
      this.#scrubber = undefined
    }
  }

  /** The text without keys that were given or used, and without what is hidden, in whatever spelling. `isCut`: it went on;
   *  then what may be the beginning of one is left out at its end. */
  readonly mask: Mask = (text, isCut = false) => {
    this.#scrubber ??= new Scrubber([...this.#hidden])
    return isCut ? this.#scrubber.scrubBeginning(text) : this.#scrubber.scrub(text)
  }

  /** Tells whether one of `readings` is a key of client `id`. */
  allows(id: number, readings: readonly string[]): boolean {
    const keys = this.#keys.get(id)
    if (readings.some((reading) => keys?.has(reading) === true)) return true
    const made = readings.find((reading) => this.#records.get('import-key', hashOf(reading))?.clientId === id)
    if (made !== undefined) this.hide([made])
    return made !== undefined
  }
}
