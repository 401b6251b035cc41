// Which clients there are: those that signed up, and those the service was started with; and the import keys made for
// them. Knows no endpoint.

import type { MoreClients } from '../clients.ts'
import { hashOf } from './hash.ts'
import { hasSucceeded } from './progress.ts'
import type { Client, Records } from './records.ts'

/** The clients that the service was started with. */
export interface GivenClients {
  ids(): readonly number[]
  /** How many keys the client was given. */
  keyCount(id: number): number
}

export class ClientDirectory implements MoreClients {
  readonly #records: Records
  readonly #given: GivenClients
  readonly #now: () => number

  constructor(records: Records, given: GivenClients, now: () => number) {
    this.#records = records
    this.#given = given
    this.#now = now
  }

  get(id: number): Client | undefined {
    const kept = this.#records.get('client', id)
    if (kept !== undefined) return this.#exists(kept) ? kept : undefined
    if (!this.#given.ids().includes(id)) return undefined
    return { id, name: `Client ${id}`, signupId: null, properties: null }
  }

  /** The client that a path or a body names. A number has one spelling: no sign, no leading zeros. */
  named(text: string | undefined): Client | undefined {
    if (text === undefined || !/^(?:0|[1-9]\d*)$/.test(text)) return undefined
    const id = Number(text)
    return String(id) === text ? this.get(id) : undefined
  }

  all(): readonly Client[] {
    const kept = this.#records.all('client').map(({ id }) => id)
    return [...new Set([...this.#given.ids(), ...kept])].flatMap((id) => this.get(id) ?? [])
  }

  ids(): readonly number[] {
    return this.all().map(({ id }) => id)
  }

  has(id: number): boolean {
    return this.get(id) !== undefined
  }

  /** Is it a key that was made for the client? */
  allows(id: number, key: string): boolean {
    return this.#records.get('import-key', hashOf(key))?.clientId === id
  }

  keyCount(id: number): number {
    const made = this.#records.all('import-key').filter(({ clientId }) => clientId === id)
    return this.#given.keyCount(id) + made.length
  }

  #exists({ signupId }: Client): boolean {
    if (signupId === null) return true
    const signup = this.#records.get('signup', signupId)
    return signup !== undefined && hasSucceeded(signup.progress, this.#now())
  }
}
