// Which clients exist and which keys are theirs. Knows no path and no answer.

import { ConnectorError } from '../core/errors.ts'
import { Secret } from '../core/secret.ts'

/** One key of one client; a client with several keys is named several times. */
export interface ClientKey {
  readonly id: number
  readonly key: string | Secret
}

export class Clients {
  readonly #keys = new Map<number, Set<string>>()

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

  ids(): readonly number[] {
    return [...this.#keys.keys()]
  }

  /** The client that `text` names; undefined: none. A number has one spelling: no sign, no leading zeros. */
  named(text: string | undefined): number | undefined {
    if (text === undefined || !/^(?:0|[1-9]\d*)$/.test(text)) return undefined
    const id = Number(text)
    return String(id) === text && this.#keys.has(id) ? id : undefined
  }

  /** Is one of `readings` a key of client `id`? */
  allows(id: number, readings: readonly string[]): boolean {
    const keys = this.#keys.get(id)
    return keys !== undefined && readings.some((reading) => keys.has(reading))
  }
}
