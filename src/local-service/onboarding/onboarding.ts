// What every endpoint of interface A shares, and what tests may ask of it: its clients and keys, its numbers.

import { randomBytes } from 'node:crypto'
import type { Secret } from '../../core/secret.ts'
import type { MoreClients } from '../clients.ts'
import type { EntityStore } from '../store.ts'
import { oauthOf, tokenSecondsOf, usersOf } from './options.ts'
import type { OnboardingOptions } from './options.ts'
import { changedPlans, DEFAULT_PLANS, JOB_KINDS, startedAt } from './plans.ts'
import type { JobKind, PlanChange, Plans } from './plans.ts'
import { HANGS, hasSucceeded } from './progress.ts'
import { hashOf, secretText } from './random-texts.ts'
import type { RandomBytes } from './random-texts.ts'
import { Records } from './records.ts'
import type { Change, Client } from './records.ts'

export interface OnboardingSurroundings {
  readonly store: EntityStore
  readonly given: GivenClients
  /** Client ids that are not to be given to anybody new. */
  readonly isTaken: (clientId: number) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const RECORDS = { signup: 'signup', connection: 'connection', connectionTest: 'job', dashboards: 'dashboards' } as const

export class Onboarding {
  readonly options: OnboardingOptions
  readonly records: Records
  readonly clients: ClientDirectory
  readonly ids: Ids
  /** Passwords by user name. */
  readonly users: ReadonlyMap<string, Secret>
  /** Secrets by oauth client. */
  readonly oauth: ReadonlyMap<number, Secret>
  readonly tokenSeconds: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly random: RandomBytes
  readonly #first: Plans
  #plans: Plans

  /** Throws a ConnectorError (config) when an option is wrong. */
  constructor(options: OnboardingOptions, { store, given, isTaken, now }: OnboardingSurroundings) {
    this.options = options
    this.users = usersOf(options)
    this.oauth = oauthOf(options)
    this.tokenSeconds = tokenSecondsOf(options)
    this.#first = changedPlans(DEFAULT_PLANS, options.plans ?? {})
    this.#plans = this.#first
    this.now = now
    this.random = options.randomBytes ?? randomBytes
    this.records = new Records(store)
    this.clients = new ClientDirectory(this.records, given, now)
    this.ids = new Ids(this.records, isTaken)
    this.#admitUsers()
  }

  get plans(): Plans {
    return this.#plans
  }

  /** For jobs that start from now on; those that hang start again, with the plan that their kind has then. Throws a
   *  ConnectorError (config) that lists everything wrong with `change`. */
  plan(change: PlanChange): void {
    this.#plans = changedPlans(this.#plans, change)
    for (const kind of JOB_KINDS) if (change[kind] !== undefined) this.#release(kind)
  }

  /** As it was when the service started. */
  resetPlans(): void {
    this.#plans = this.#first
    for (const kind of JOB_KINDS) this.#release(kind)
  }

  /** A new key for imports, good at once; undefined: there is no such client. It is shown this once. */
  makeImportKey(clientId: number): string | undefined {
    if (!this.clients.has(clientId)) return undefined
    const key = secretText(this.random)
    this.records.keep(['import-key', hashOf(key), { clientId }])
    return key
  }

  /** A user keeps its id; tokens of those who may log in no more are good no more. */
  #admitUsers(): void {
    const { records, users } = this
    const missing = [...users.keys()].filter((name) => records.get('login', name) === undefined)
    records.keep(...missing.map((name): Change => ['login', name, { id: this.ids.next(), name }]))
    const admitted = new Set([...users.keys()].map((name) => records.get('login', name)!.id))
    const left = records.entries('token').filter(([, { userId }]) => !admitted.has(userId))
    records.keep(...left.map(([hash]): Change => ['token', hash, undefined]))
  }

  #release(kind: JobKind): void {
    const plan = this.#plans[kind]
    if (plan.outcome === HANGS) return
    const name = RECORDS[kind]
    const progress = startedAt(this.now(), plan)
    const hanging = this.records.all(name).filter((it) => it.progress.outcome === HANGS)
    this.records.keep(...hanging.map((it) => [name, it.id, { ...it, progress }] as Change))
  }
}

const FIRST = 1001

class Ids {
  readonly #isTaken: (id: number) => boolean
  #next: number

  /** Goes on behind what `records` hold. `isTaken`: numbers that came from elsewhere. */
  constructor(records: Records, isTaken: (id: number) => boolean) {
    this.#isTaken = isTaken
    this.#next = FIRST
    for (const id of numbersIn(records)) this.#next = Math.max(this.#next, id + 1)
  }

  next(): number {
    while (this.#isTaken(this.#next)) this.#next++
    return this.#next++
  }
}

function* numbersIn(records: Records): Generator<number> {
  for (const kind of ['login', 'token', 'invite', 'job'] as const) for (const { id } of records.all(kind)) yield id
  for (const { clientId } of records.all('signup')) yield clientId
  for (const { id, metaId } of records.all('connection')) yield Math.max(id, metaId)
}

/** The clients that the service was started with. */
interface GivenClients {
  ids(): readonly number[]
  /** How many keys the client was given. */
  keyCount(id: number): number
}

class ClientDirectory implements MoreClients {
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
