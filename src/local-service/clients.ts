// Which clients exist and which keys are theirs.

import { ConnectorError } from '../core/errors.ts'
import { Secret } from '../core/secret.ts'

/** What a client's key is when none was given; no secret. */
export const DEMO_KEY = 'demo-key'

/** One key of one client; a client with several keys is named several times. */
export interface ClientKey {
  readonly id: number
  readonly key: string | Secret
}

/** Clients that come to be while the service runs, and keys that are made then. */
export interface MoreClients {
  ids(): readonly number[]
  has(id: number): boolean
  /** Is it a key that was made for client `id`? */
  allows(id: number, key: string): boolean
}

/** A shorter key may be any word. */
const SHORTEST_MASKED = 6

export class Clients {
  readonly #keys = new Map<number, Set<string>>()
  #more: MoreClients | undefined

  /** Throws a ConnectorError (config) when an id is no whole number from 0, a key is empty, or there is no client. */
  constructor(clients: readonly ClientKey[]) {
    for (const { id, key } of clients) {
      const text = key instanceof Secret ? key.reveal() : key
      if (!Number.isSafeInteger(id) || id < 0) {
        throw new ConnectorError('config', `A client id is a whole number from 0, found ${id}.`)
      }
      if (text === '') throw new ConnectorError('config', `Client ${id} needs a key that is not empty.`)
      this.#keys.set(id, (this.#keys.get(id) ?? new Set()).add(text))
    }
    if (this.#keys.size === 0) throw new ConnectorError('config', 'The local service needs at least one client.')
  }

  /** From now on `more` are clients too. */
  join(more: MoreClients): void {
    this.#more = more
  }

  /** Those it was made with first. */
  ids(): readonly number[] {
    return [...new Set([...this.#keys.keys(), ...(this.#more?.ids() ?? [])])]
  }

  /** How to write into a client's tables: the first one's, whose key is shown only where it is no secret. */
  get shown(): { readonly client_id: number; readonly key: string | null } {
    const [id, keys] = this.#keys.entries().next().value!
    return { client_id: id, key: keys.has(DEMO_KEY) ? DEMO_KEY : null }
  }

  /** How many keys the client was given when this was made. */
  keyCount(id: number): number {
    return this.#keys.get(id)?.size ?? 0
  }

  /** The client that `text` names; undefined: none. A number has one spelling: no sign, no leading zeros. */
  named(text: string | undefined): number | undefined {
    if (text === undefined || !/^(?:0|[1-9]\d*)$/.test(text)) return undefined
    const id = Number(text)
    const isOne = this.#keys.has(id) || this.#more?.has(id) === true
    return String(id) === text && isOne ? id : undefined
  }

  /** The text without keys that were given; those that are made later are not known (only their hashes are). */
  readonly mask = (text: string): string => {
    let masked = text
    for (const keys of this.#keys.values())
      for (const key of keys) if (key.length >= SHORTEST_MASKED) masked = masked.replaceAll(key, '******')
    return masked
  }

  /** Is one of `readings` a key of client `id`? */
  allows(id: number, readings: readonly string[]): boolean {
    const keys = this.#keys.get(id)
    return readings.some((reading) => keys?.has(reading) === true || this.#more?.allows(id, reading) === true)
  }
}
