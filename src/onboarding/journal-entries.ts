// The lines of a journal (entries), and what they say together: what was sent, and with what result.
//
// A creating request usually has the lines `intent` and `answered`, and `done` if a job follows. Otherwise `answered` is replaced by
// `nothing` or `unknown`, `intent` and `answered` by `adopted`, or `done` by `failed` or `waited`.

import { createHash } from 'node:crypto'
import { z } from 'zod'

/** The requests that create something: the client, its user, its connection, the test of that, its dashboards. */
export const CREATING = ['A2', 'A4', 'A6', 'A8', 'A10'] as const

export type Creating = (typeof CREATING)[number]

const endpoint = z.enum(CREATING)
/** The time of the line, ISO 8601. */
const at = z.string()
const id = z.union([z.string(), z.int()])
/** Options of the config, with their values, that identify what the request makes (identity.ts). */
const of = z.record(z.string(), z.string())

export const entrySchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('onboarding'), version: z.literal(1), base_url: z.string(), at }),
  /** Written before a creating request is sent. `seen`: ids of tests that existed before (A8). */
  z.object({ event: z.literal('intent'), endpoint, of, seen: z.array(z.int()).optional(), at }),
  /** The answer came. `id` is null if the answer has none yet (A8). */
  z.object({ event: z.literal('answered'), endpoint, id: id.nullable(), user_id: z.int().optional(), at }),
  /** It is not known whether the request was carried out. `why`: what was found instead of an answer. */
  z.object({ event: z.literal('unknown'), endpoint, why: z.string(), at }),
  /** It was not carried out. `confirmed`: the user says so, or that what it created is gone. */
  z.object({ event: z.literal('nothing'), endpoint, why: z.string(), confirmed: z.boolean(), at }),
  /** The user, or a list of the service, says that what it creates exists with this id. */
  z.object({ event: z.literal('adopted'), endpoint, id, of, at }),
  /** Its job succeeded. */
  z.object({ event: z.literal('done'), endpoint, client_id: z.int().optional(), pubkey: z.string().optional(), at }),
  /** Its job failed, or the run stopped waiting for it. `word`: its last known status. */
  z.object({ event: z.enum(['failed', 'waited']), endpoint, word: z.string(), at }),
  /** A5 was carried out; `digest` of its body. */
  z.object({ event: z.literal('updated'), digest: z.string(), at }),
])

export type JournalEntry = z.output<typeof entrySchema>

/** The state that the last line about a creating request means. `none`: the line is `nothing`, or there is no line. `sent`: the line
 *  is `intent`, for the process was killed after it. `answered`: a job follows. `done`: the job is done, or none follows.
 *  The others are called as their lines. */
export type MadeState = 'none' | 'sent' | 'unknown' | 'answered' | 'failed' | 'waited' | 'done'

/** Tells whether a request was sent, and it is not known whether it was carried out. */
export function isOpen(state: MadeState): boolean {
  return state === 'sent' || state === 'unknown'
}

/** The journal's knowledge of one creating request and of what that made. */
export interface MadeThing {
  readonly state: MadeState
  /** The identity in the last line `intent` or `adopted`. Empty when there is no such line. */
  readonly of: Readonly<Record<string, string>>
  readonly id?: string | number | undefined
  /** When the request was last sent, ISO 8601. */
  readonly at?: string | undefined
  /** Why the outcome is unknown, or the last known status of its job. */
  readonly why?: string | undefined
  /** Whether its id came from the user or a list of the service. */
  readonly adopted: boolean
  /** How often the user confirmed that nothing was created. */
  readonly confirmations: number
  /** Ids of tests other than the one started last (A8). */
  readonly seen: readonly number[]
}

/** The knowledge that all lines of a journal give together. */
export interface Known {
  readonly baseUrl?: string | undefined
  readonly made: Readonly<Record<Creating, MadeThing>>
  readonly clientId?: number | undefined
  readonly pubkey?: string | undefined
  /** The id of the client's user, from A4's answer, or as the user of this program gave it. */
  readonly userId?: number | undefined
  /** When the service last answered that something was created, ISO 8601. */
  readonly createdAt?: string | undefined
  /** Digest of the last body of A5 (the client's properties) that was carried out. */
  readonly updated?: string | undefined
}

const NOTHING_MADE: MadeThing = { state: 'none', of: {}, adopted: false, confirmations: 0, seen: [] }

export const NOTHING_KNOWN: Known = {
  made: { A2: NOTHING_MADE, A4: NOTHING_MADE, A6: NOTHING_MADE, A8: NOTHING_MADE, A10: NOTHING_MADE },
}

/** Adds the next line of the journal to what is known. */
export function withEntry(known: Known, entry: JournalEntry): Known {
  if (entry.event === 'onboarding') return { ...known, baseUrl: entry.base_url }
  if (entry.event === 'updated') return { ...known, updated: entry.digest }
  const { endpoint } = entry
  const made = { ...known.made, [endpoint]: madeBy(known.made[endpoint], entry) }
  const createdAt = entry.event === 'answered' || entry.event === 'done' ? entry.at : known.createdAt
  return { ...known, made, createdAt, ...learnt(entry) }
}

type MakingEntry = Extract<JournalEntry, { endpoint: Creating }>

function madeBy(made: MadeThing, entry: MakingEntry): MadeThing {
  switch (entry.event) {
    case 'intent': {
      const { of, at } = entry
      return { ...made, state: 'sent', of, at, id: undefined, why: undefined, seen: seenBy(made, entry) }
    }
    case 'answered':
      return { ...made, state: entry.endpoint === 'A4' ? 'done' : 'answered', id: entry.id ?? undefined }
    case 'unknown':
      return { ...made, state: 'unknown', why: entry.why }
    case 'nothing': {
      const confirmations = made.confirmations + (entry.confirmed ? 1 : 0)
      return { ...NOTHING_MADE, confirmations, seen: seenBy(made, {}) }
    }
    case 'adopted': {
      const isDone = entry.endpoint === 'A2' || entry.endpoint === 'A4'
      return { ...made, state: isDone ? 'done' : 'answered', id: entry.id, of: entry.of, adopted: true }
    }
    case 'done':
      return { ...made, state: 'done' }
    case 'failed':
    case 'waited':
      return { ...made, state: entry.event, why: entry.word }
    default:
      return entry satisfies never
  }
}

/** Ids of tests that are older than the next one: those seen before it, and the id of the last one. */
function seenBy({ seen, id }: MadeThing, entry: { readonly seen?: readonly number[] | undefined }): number[] {
  return [...new Set([...seen, ...(typeof id === 'number' ? [id] : []), ...(entry.seen ?? [])])]
}

/** The knowledge in a line that is not about its request alone. */
function learnt(entry: MakingEntry): Partial<Known> {
  const { endpoint, event } = entry
  if (event === 'done' && endpoint === 'A2') return { clientId: entry.client_id, pubkey: entry.pubkey }
  if (event === 'adopted' && endpoint === 'A2' && typeof entry.id === 'number') return { clientId: entry.id }
  if (event === 'adopted' && endpoint === 'A4' && typeof entry.id === 'number') return { userId: entry.id }
  if (event === 'answered' && endpoint === 'A4') return { userId: entry.user_id }
  return {}
}

/** The text that stands in a journal for a value that holds a secret; equal for equal values. */
export function disguised(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}
