// The state of interface A (onboarding) that its endpoints share: records, users, new ids, and the plans by which jobs go.

import type { Clients } from '../clients.ts'
import { oauthOf, TOKEN_SECONDS, usersOf, type OnboardingOptions } from './options.ts'
import { changedPlans, DEFAULT_PLANS, JOB_KINDS, startedAt } from './plans.ts'
import type { JobKind, PlanChange, Plans } from './plans.ts'
import { HANGS } from './progress.ts'
import { hashOf, secretText, type Change, type Records } from './records.ts'

interface OnboardingParts {
  readonly records: Records
  readonly clients: Clients
  /** Tells whether an id may not be given to a new client. */
  readonly isTaken: (clientId: number) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The kind of record that holds the jobs of each kind. */
const KINDS = { signup: 'signup', connection: 'connection', connectionTest: 'job', dashboards: 'dashboards' } as const

export class Onboarding {
  readonly options: OnboardingOptions
  readonly records: Records
  readonly clients: Clients
  readonly ids: ReturnType<typeof idsBehind>
  /** Passwords by user name. */
  readonly users: ReadonlyMap<string, string>
  /** Secrets by the ids of OAuth clients, which are programs and not clients of this service. */
  readonly oauth: ReadonlyMap<number, string>
  readonly tokenSeconds: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly #initialPlans: Plans
  #plans: Plans

  /** Throws a ConnectorError (config) when an option is wrong. */
  constructor(options: OnboardingOptions, { records, clients, isTaken, now }: OnboardingParts) {
    this.options = options
    this.users = usersOf(options)
    this.oauth = oauthOf(options)
    this.tokenSeconds = options.tokenSeconds ?? TOKEN_SECONDS
    this.#initialPlans = changedPlans(DEFAULT_PLANS, options.plans ?? {})
    this.#plans = this.#initialPlans
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

  /** Changes what becomes of jobs that start from now on. Jobs of the changed kinds that hang (never end) start again, with a new plan. */
  plan(change: PlanChange): void {
    this.#plans = changedPlans(this.#plans, change)
    for (const kind of JOB_KINDS) if (change[kind] !== undefined) this.#restartHanging(kind)
  }

  /** Sets the plans to what they were when the service started, and starts all jobs that hang again. */
  resetPlans(): void {
    this.#plans = this.#initialPlans
    for (const kind of JOB_KINDS) this.#restartHanging(kind)
  }

  /** Makes a key for imports of a client that exists. It is good at once, and cannot be read again: only its hash is kept. */
  makeImportKey(clientId: number): string {
    const key = secretText()
    this.records.keep(['import-key', hashOf(key), { clientId }])
    return key
  }

  /** Adapts the records to the users of this start: new users get ids, others keep theirs; tokens of users who are gone are removed. */
  #admitUsers(): void {
    const { records, users } = this
    const missing = [...users.keys()].filter((name) => records.get('login', name) === undefined)
    records.keep(...missing.map((name): Change => ['login', name, { id: this.ids.next(), name }]))
    const admitted = new Set([...users.keys()].map((name) => records.get('login', name)!.id))
    const revoked = records.entries('token').filter(([, { userId }]) => !admitted.has(userId))
    records.keep(...revoked.map(([hash]): Change => ['token', hash, undefined]))
  }

  /** Starts the jobs that hang again with the plan of their kind, unless that is to hang too. */
  #restartHanging(kind: JobKind): void {
    const plan = this.#plans[kind]
    if (plan.outcome === HANGS) return
    const recordKind = KINDS[kind]
    const progress = startedAt(this.now(), plan)
    const hanging = this.records.all(recordKind).filter((it) => it.progress.outcome === HANGS)
    this.records.keep(...hanging.map((it) => [recordKind, it.id, { ...it, progress }] as Change))
  }
}

/** Makes new ids, each higher than those before, than all in `records` and than 1000.
 *  @param isTaken tells ids to pass over */
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
