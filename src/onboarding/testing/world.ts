// For tests: a service in memory whose calls go wrong as the test says, a clock nobody waits for, a journal that outlives
// crashes, and somebody who knows what is there.

import { ConnectorError, NO_CODE } from '../../core/errors.ts'
import { Secret } from '../../core/secret.ts'
import type { OnboardingApi } from '../../service/onboarding/onboarding-api.ts'
import type { CallOutcome } from '../../service/onboarding/onboarding-outcome.ts'
import { NOTHING_KNOWN, withEntry, type Creating, type JournalEntry, type Known } from '../journal-entries.ts'
import type { Journal } from '../journal.ts'
import type { Choices } from '../user-answers.ts'
import { runOnboarding, type OnboardingEnd } from '../run.ts'
import type { StepReport } from '../step-progress.ts'
import type { OnboardingPlan } from '../types.ts'

/** What becomes of one call. `crash`: the process is gone, before or behind what the call does. */
export type Fate =
  | 'well'
  | 'busy'
  | 'lost before'
  | 'lost behind'
  | 'unauthorised'
  | 'refused'
  | 'missing'
  | 'conflict'
  | 'nonsense behind'
  | 'redirected behind'
  | 'crash before'
  | 'crash behind'

export class Crash extends Error {
  override readonly name = 'Crash'
}

export interface World {
  readonly api: OnboardingApi
  readonly made: Record<Creating, number[]>
  /** Endpoints in the order they were called. */
  readonly calls: string[]
  readonly reports: StepReport[]
  readonly notes: string[]
  readonly journal: { known: Known; readonly entries: JournalEntry[] }
  readonly clock: { now(): number; wait(ms: number, signal: AbortSignal): Promise<void>; random(): number }
  run(choices?: Choices, signal?: AbortSignal, other?: OnboardingPlan): Promise<OnboardingEnd>
}

export const NO_CHOICES: Choices = { adopt: {}, notCreated: [] }

export const PLAN: OnboardingPlan = {
  baseUrl: 'https://onboarding.example.com',
  dashboardUrl: 'https://dashboard.example.com',
  login: { username: 'u', password: new Secret('p'), clientId: 1, clientSecret: new Secret('s') },
  client: {
    tier: 't',
    company: 'Acme',
    firstName: 'f',
    lastName: 'l',
    email: 'a@example.com',
    role: 'r',
    shop: { customerId: 'c', subscriptionId: 's' },
  },
  user: {
    email: 'u@example.com',
    firstName: 'f',
    lastName: 'l',
    rights: { admin: 1, billing: 0, readonly: 0, technical: 0 },
  },
  update: { name: 'Acme', properties: {} as OnboardingPlan['update']['properties'] },
  connection: {
    name: 'store',
    displayName: 'store',
    password: new Secret('d'),
    encryptionPassword: null,
    properties: {} as OnboardingPlan['connection']['properties'],
  },
  test: { referer: '', pollNumber: 27 },
  dashboards: { package: 'basic', database: 'shop', tablePrefix: '', userId: undefined },
  timing: {
    requestTimeoutMs: 60_000,
    retryForMs: 120_000,
    polling: { firstMs: 2_000, maxMs: 30_000 },
    timeouts: {
      clientMs: 600_000,
      connectionMs: 600_000,
      testMs: 600_000,
      dashboardsMs: 600_000,
      totalMs: 14_400_000,
    },
  },
}

/** @param fateOf decides about each call as it comes
 *  @param wordOf the state a poll finds */
export function testWorld(
  fateOf: (endpoint: string) => Fate,
  wordOf: (endpoint: string) => string = () => 'completed',
  plan: OnboardingPlan = PLAN,
): World {
  const made: World['made'] = { A2: [], A4: [], A6: [], A8: [], A10: [] }
  const calls: string[] = []
  const api = apiOf(made, calls, fateOf, wordOf)
  const journal: World['journal'] = { known: NOTHING_KNOWN, entries: [] }
  const reports: StepReport[] = []
  const notes: string[] = []
  let now = 0
  const clock: World['clock'] = {
    now: () => now,
    wait(ms) {
      now += ms
      return Promise.resolve()
    },
    random: () => 0.5,
  }
  return {
    api,
    made,
    calls,
    reports,
    notes,
    journal,
    clock,
    run: (choices = NO_CHOICES, signal = new AbortController().signal, other = plan) =>
      runOnboarding({
        plan: other,
        choices,
        api,
        journal: journalOf(journal, () => now),
        progress: { step: (report) => reports.push(report), note: (text) => notes.push(text) },
        clock,
        scrub: (text) => text,
        signal,
      }),
  }
}

function apiOf(
  made: World['made'],
  calls: string[],
  fateOf: (endpoint: string) => Fate,
  wordOf: (endpoint: string) => string,
): OnboardingApi {
  let ids = 100
  const act = async <T>(endpoint: string, does: () => T): Promise<CallOutcome<T>> => {
    calls.push(endpoint)
    const fate = fateOf(endpoint)
    const lost = { status: 'retry', reason: `${endpoint} was lost`, ambiguous: true } as const
    if (fate === 'crash before') throw new Crash()
    if (fate === 'busy') return { status: 'retry', reason: `${endpoint} is busy`, ambiguous: false }
    if (fate === 'unauthorised') return { status: 'refused', code: 401, reason: `${endpoint}: 401` }
    if (fate === 'refused') return { status: 'refused', code: 400, reason: `${endpoint}: 400` }
    if (fate === 'missing') return { status: 'refused', code: 404, reason: `${endpoint}: 404` }
    if (fate === 'conflict') return { status: 'refused', code: 409, reason: `${endpoint}: 409` }
    if (fate === 'lost before') return lost
    const value = does()
    if (fate === 'crash behind') throw new Crash()
    if (fate === 'lost behind') return lost
    if (fate === 'redirected behind') {
      return {
        status: 'stop',
        error: new ConnectorError('config', NO_CODE, `${endpoint} leads elsewhere.`),
        ambiguous: true,
      }
    }
    if (fate === 'nonsense behind') return { status: 'unclear', reason: `${endpoint}: nonsense` }
    return { status: 'answered', value }
  }
  const create = (endpoint: Creating): { id: number } => {
    made[endpoint].push(++ids)
    return { id: ids }
  }
  const items = (endpoint: Creating): { id: number; name: string; status: string }[] =>
    made[endpoint].map((id) => ({ id, name: 'store', status: wordOf(endpoint === 'A6' ? 'A7' : 'A9') }))
  return {
    createToken: () => act('A1', () => ({ access_token: `token${++ids}`, user_id: 7, expires_in: 14_400 })),
    createClient: () => act('A2', () => ({ id: `signup-${create('A2').id}` })),
    readSignup: (_, id) => act('A3', () => ({ status: wordOf('A3'), client_id: Number(id.slice('signup-'.length)) })),
    createUser: () => act('A4', () => create('A4')),
    setProperties: () => act('A5', () => undefined),
    addConnection: () => act('A6', () => create('A6')),
    listConnections: () => act('A7', () => items('A6')),
    startTest: () => act('A8', () => ({ id: create('A8').id % 2 === 0 ? null : ids })),
    listTests: () => act('A9', () => items('A8').toReversed()),
    createDashboards: () => act('A10', () => ({ id: `dash-${create('A10').id}` })),
    readDashboards: () => act('A11', () => ({ status: wordOf('A11') })),
  }
}

function journalOf(kept: World['journal'], now: () => number): Journal {
  return {
    path: 'journal',
    files: [],
    get known() {
      return kept.known
    },
    get createdAgoMs() {
      const { createdAt } = kept.known
      return createdAt === undefined ? Infinity : now() - Date.parse(createdAt)
    },
    append(entry) {
      const stamped: JournalEntry = { ...entry, at: new Date(now()).toISOString() }
      kept.entries.push(stamped)
      kept.known = withEntry(kept.known, stamped)
    },
    [Symbol.dispose]() {},
  }
}

/** What somebody answers who looks, and sees what is there. */
export function honestAnswer({ made }: World, question: string): Choices {
  const [, adopt = '', confirm = ''] = /\n {2}(--\S+) .*\n {2}--not-created (\S+)/.exec(question) ?? []
  const [endpoint] = confirm.split('#') as [Creating]
  const id = made[endpoint].at(-1)
  if (id === undefined) return { adopt: {}, notCreated: [confirm] }
  if (adopt === '') throw new Error(`no way out: ${question}`)
  return { adopt: { [endpoint]: endpoint === 'A10' ? `dash-${id}` : id }, notCreated: [] }
}

export function isStop(error: unknown): error is ConnectorError {
  return error instanceof ConnectorError
}
