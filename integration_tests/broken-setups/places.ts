// The places that texts of a broken set-up name, such as {{service}}: there as soon as one is named, gone with the case.

import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import type { LocalServiceOptions } from '../../src/local-service/context.ts'
import type { Setup } from '../../spec/broken-setups/read-cases.ts'
import { certificate } from './certificates.ts'
import { startStranger } from './strangers.ts'

/** Of clients 7 and 8 of the local service. */
export const KEYS = { key: 'canary/5021+é&=%', 'other key': 'canary-of-client-8' } as const

/** Nothing listens there, on any machine. */
const CLOSED = '127.0.0.1:1'

const AT_ONCE = { durationMs: 0, outcome: 'completed' }
const ALL_AT_ONCE = { signup: AT_ONCE, connection: AT_ONCE, connectionTest: AT_ONCE, dashboards: AT_ONCE }

/** The text of a place, or undefined: it is not one of those. */
export type Find = (place: string) => string | Promise<string> | undefined

export class Places implements AsyncDisposable {
  readonly #setup: Pick<Setup, 'faults' | 'plans' | 'maxBody'>
  readonly #find: Find
  readonly #found = new Map<string, Promise<string>>()
  readonly #stack = new AsyncDisposableStack()
  #service: Promise<LocalService> | undefined

  /** @param find what is found elsewhere */
  constructor(setup: Pick<Setup, 'faults' | 'plans' | 'maxBody'>, find: Find) {
    this.#setup = setup
    this.#find = find
  }

  /** With every place it names. */
  async text(text: string): Promise<string> {
    let filled = ''
    let from = 0
    for (const { 0: whole, 1: place, index } of text.matchAll(/\{\{([^}]+)\}\}/g)) {
      filled += text.slice(from, index) + (await this.#place(place!))
      from = index + whole.length
    }
    return filled + text.slice(from)
  }

  /** The same for every text in a value. A text that is nothing but a port is a number. */
  async value(value: unknown): Promise<unknown> {
    if (typeof value === 'string') {
      const text = await this.text(value)
      return /^\{\{port of [^}]+\}\}$/.test(value) ? Number(text) : text
    }
    if (Array.isArray(value)) return Promise.all(value.map((entry) => this.value(entry)))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).map(async ([name, of]): Promise<[string, unknown]> => [
      name,
      await this.value(of),
    ])
    return Object.fromEntries(await Promise.all(members))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }

  #place(place: string): Promise<string> {
    const known = this.#found.get(place)
    if (known !== undefined) return known
    const found = this.#start(place)
    this.#found.set(place, found)
    return found
  }

  async #start(place: string): Promise<string> {
    const [, portOf] = /^port of (.+)$/.exec(place) ?? []
    if (portOf !== undefined) return (await this.#place(portOf)).split(':')[1]!
    const [, name] = /^certificate (.+)$/.exec(place) ?? []
    if (name !== undefined) return certificate(name).certificate
    if (place === 'key' || place === 'other key') return KEYS[place]
    if (place === 'closed') return CLOSED
    if (place === 'service') return `127.0.0.1:${(await this.#startService()).port}`
    const elsewhere = this.#find(place)
    if (elsewhere !== undefined) return elsewhere
    const stranger = await startStranger(place)
    if (stranger === undefined) throw new Error(`there is no place {{${place}}}`)
    this.#stack.use(stranger)
    return `127.0.0.1:${stranger.port}`
  }

  #startService(): Promise<LocalService> {
    const { faults, plans, maxBody } = this.#setup
    const options = {
      clients: [
        { id: 7, key: KEYS.key },
        { id: 8, key: KEYS['other key'] },
      ],
      onboarding: { plans: { ...ALL_AT_ONCE, ...plans } },
      ...(maxBody === undefined ? {} : { maxBody }),
    } satisfies LocalServiceOptions
    this.#service ??= startLocalService(options).then((service) => {
      this.#stack.use(service)
      for (const fault of faults) service.fault(fault)
      return service
    })
    return this.#service
  }
}
