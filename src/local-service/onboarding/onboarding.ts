// What every endpoint of interface A shares, and what tests may ask of it: its clients and keys, its numbers.

import type { Clients } from '../clients.ts'
import { oauthOf, TOKEN_SECONDS, usersOf, type OnboardingOptions } from './options.ts'
import { changedPlans, DEFAULT_PLANS, JOB_KINDS, startedAt } from './plans.ts'
import type { JobKind, PlanChange, Plans } from './plans.ts'
import { HANGS } from './progress.ts'
import { hashOf, secretText, type Change, type Records } from './records.ts'

interface OnboardingParts {
  readonly records: Records
  readonly clients: Clients
  /** Client ids that are not to be given to a new client. */
  readonly isTaken: (clientId: number) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The kind of record that keeps the jobs of each kind. */
const RECORDS = { signup: 'signup', connection: 'connection', connectionTest: 'job', dashboards: 'dashboards' } as const

export class Onboarding {
  readonly options: OnboardingOptions
  readonly records: Records
  readonly clients: Clients
  readonly ids: ReturnType<typeof idsBehind>
  /** Passwords by user name. */
  readonly users: ReadonlyMap<string, string>
  /** Secrets by oauth client. */
  readonly oauth: ReadonlyMap<number, string>
  readonly tokenSeconds: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly #first: Plans
  #plans: Plans

  /** Throws a ConnectorError (config) when an option is wrong. */
  constructor(options: OnboardingOptions, { records, clients, isTaken, now }: OnboardingParts) {
    this.options = options
    this.users = usersOf(options)
    this.oauth = oauthOf(options)
    this.tokenSeconds = options.tokenSeconds ?? TOKEN_SECONDS
    this.#first = changedPlans(DEFAULT_PLANS, options.plans ?? {})
    this.#plans = this.#first
    this.now = now
    this.records = records
    this.clients = clients
    this.ids = idsBehind(records, isTaken)
    this.#admitUsers()
    clients.hide([...this.users.values(), ...this.oauth.values()])
  }

  get plans(): Plans {
    return this.#plans
  }

  /** Changes what becomes of jobs that start from now on. Those that hang start again, with the plan that their kind has then. */
  plan(change: PlanChange): void {
    this.#plans = changedPlans(this.#plans, change)
    for (const kind of JOB_KINDS) if (change[kind] !== undefined) this.#release(kind)
  }

  /** Sets the plans to what they were when the service started. */
  resetPlans(): void {
    this.#plans = this.#first
    for (const kind of JOB_KINDS) this.#release(kind)
  }

  /** A new key for imports of a client that is there, good at once. It is shown this once. */
  makeImportKey(clientId: number): string {
    const key = secretText()
    this.records.keep(['import-key', hashOf(key), { clientId }])
    return key
  }

  /** A user that is still there keeps its id. Revokes tokens of users that were removed. */
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

/** Makes new numbers: they go on behind what `records` hold, from 1001.
 *  @param isTaken tells numbers that came from elsewhere */
function idsBehind(records: Records, isTaken: (id: number) => boolean) {
  let last = 1000
  for (const id of numbersIn(records)) last = Math.max(last, id)
  return {
    next(): number {
      do last++
      while (isTaken(last))
      return last
    },
  }
}

function* numbersIn(records: Records): Generator<number> {
  for (const kind of ['login', 'token', 'invite', 'job'] as const) for (const { id } of records.all(kind)) yield id
  for (const { clientId } of records.all('signup')) yield clientId
  for (const { id, metaId } of records.all('connection')) yield Math.max(id, metaId)
}
