// What every endpoint of interface A shares, and what tests may ask of it. Knows no endpoint.

import { randomBytes } from 'node:crypto'
import type { Secret } from '../../core/secret.ts'
import { ClientDirectory, type GivenClients } from './client-directory.ts'
import type { EntityStore } from './entities.ts'
import { hashOf } from './hash.ts'
import { Ids } from './ids.ts'
import { oauthOf, type OnboardingOptions, tokenSecondsOf, usersOf } from './options.ts'
import {
  changedPlans,
  DEFAULT_PLANS,
  JOB_KINDS,
  type JobKind,
  type PlanChange,
  type Plans,
  startedAt,
} from './plans.ts'
import { HANGS } from './progress.ts'
import { type RandomBytes, secretText } from './random-texts.ts'
import { type Change, Records } from './records.ts'

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
