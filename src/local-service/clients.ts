// Which clients exist, which keys are theirs, and what must be hidden where texts are shown. A client was named when the service started, or
// has signed up; then it exists once its signup has succeeded. A key was given at the start, or made later; of the latter only a hash is kept.

import { ConnectorError } from '../core/errors.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { hasSucceeded } from './onboarding/progress.ts'
import { hashOf, Records, type Client } from './onboarding/records.ts'
import { UNKEPT } from './store.ts'

/** Takes out of a text what may not be shown.
 *  @param isCut whether the text went on: then what may be the beginning of a secret is left out at its end */
export type Mask = (text: string, isCut?: boolean) => string

/** The key of a client that was given none; no secret. */
export const DEMO_KEY = 'demo-key'

/** One key of one client; a client with several keys is named several times. */
export interface ClientKey {
  readonly id: number
  readonly key: string
}

/** Characters. A shorter key may be any word, so that it is not masked. */
const SHORTEST_MASKED = 6

export class Clients {
  readonly #keys = new Map<number, Set<string>>()
  readonly #hidden = new Set<string>()
  /** Takes out `#hidden`. `undefined` when that has grown since. */
  #scrubber: Scrubber | undefined
  readonly #records: Records
  readonly #now: () => number

  /** @param given those that the service is started with, at least one
   *  @throws ConnectorError config when an id is no whole number from 0 */
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

  /** Ids of the clients: those that were given, then those that signed up. */
  ids(): readonly number[] {
    const signedUp = this.#records.all('client').map(({ id }) => id)
    return [...new Set([...this.#keys.keys(), ...signedUp])].filter((id) => this.has(id))
  }

  has(id: number): boolean {
    return this.#keys.has(id) || this.#signedUp(id) !== undefined
  }

  get(id: number): Client | undefined {
    const given = { id, name: `Client ${id}`, signupId: null, properties: null }
    return this.#signedUp(id) ?? (this.#keys.has(id) ? given : undefined)
  }

  /** The client that signed up. `undefined` when none did under this id, or its signup goes on or has failed. */
  #signedUp(id: number): Client | undefined {
    const client = this.#records.get('client', id)
    if (client === undefined || client.signupId === null) return client
    const signup = this.#records.get('signup', client.signupId)
    return signup !== undefined && hasSucceeded(signup.progress, this.#now()) ? client : undefined
  }

  /** The first client, and its key where that is no secret: what the page shows of how to write into tables. */
  get shown(): { readonly client_id: number; readonly key: string | null } {
    const [id, keys] = this.#keys.entries().next().value!
    return { client_id: id, key: keys.has(DEMO_KEY) ? DEMO_KEY : null }
  }

  keyCount(id: number): number {
    const made = this.#records.all('import-key').filter(({ clientId }) => clientId === id)
    return (this.#keys.get(id)?.size ?? 0) + made.length
  }

  /** The id of the client that `text` names. `undefined` when it names none. A number has one spelling: no sign, no leading
   *  zeros. */
  idOf(text: string | undefined): number | undefined {
    if (text === undefined || !/^(?:0|[1-9]\d*)$/.test(text)) return undefined
    const id = Number(text)
    return String(id) === text && this.has(id) ? id : undefined
  }

  /** Has `mask` take these out too from now on. */
  hide(secrets: Iterable<string>): void {
    for (const text of secrets) {
      if (text.length < SHORTEST_MASKED || this.#hidden.has(text)) continue
      this.#hidden.add(text)
      this.#scrubber = undefined
    }
  }

  /** Takes out keys that were given or used, and what else `hide` was told, in whatever spelling. */
  readonly mask: Mask = (text, isCut = false) => {
    this.#scrubber ??= new Scrubber([...this.#hidden])
    return isCut ? this.#scrubber.scrubBeginning(text) : this.#scrubber.scrub(text)
  }

  /** Tells whether a key is one of client `id`. One that was made is hidden from now on.
   *  @param readings of the key: a query has one or two (readParameter) */
  allows(id: number, readings: readonly string[]): boolean {
    const keys = this.#keys.get(id)
    if (readings.some((reading) => keys?.has(reading) === true)) return true
    const made = readings.find((reading) => this.#records.get('import-key', hashOf(reading))?.clientId === id)
    if (made !== undefined) this.hide([made])
    return made !== undefined
  }
}
