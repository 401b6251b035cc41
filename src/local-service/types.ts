// How a request to the local service ends: with an answer or a reset; and the faults that can be scripted for it. Types only.

export type HeaderValue = string | number | readonly string[]

/** One answer. `body` is sent as it is; text is UTF-8. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, HeaderValue>>
  readonly body: string | Iterable<Uint8Array>
  /** How many points an accepted upsert had. Absent for anything else. */
  readonly points?: number | undefined
  /** Why a request was refused, as the body says too. Absent for any other. */
  readonly reasons?: readonly string[] | undefined
}

/** The end of a request: an answer, or a reset of its connection, before which `points` points may have been stored. */
export type Ending = Answer | { readonly status: 'reset'; readonly points?: number | undefined }

/** One upsert whose body has arrived, as hooks (`onUpsert`, `onAnswered`) and scripted answers see it. Both hooks get the same object. */
export interface SeenUpsert {
  readonly clientId: number
  /** The table as named in the path, percent-decoded. `undefined` when the name cannot be decoded. */
  readonly table: string | undefined
  /** Whether it went to the sandbox, which stores nothing. */
  readonly sandbox: boolean
  /** Empty when the body was larger than the limit. */
  readonly body: Uint8Array
}

/** A scripted answer. A body that is no string is sent as JSON; without a body the usual one of the status is sent. */
export interface ScriptedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, HeaderValue>>
  readonly body?: string | object
}

/** Makes the scripted answer of an upsert. `undefined` when the upsert is to be carried out as if there were no fault. */
export type AnswerMaker = (upsert: SeenUpsert) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>

/** A scripted fault: which requests get it, how many of them, and what happens to them (service-interface.md#our-own-paths). */
export interface Fault {
  /** For upserts into this table; into any when absent. */
  readonly table?: string
  /** For calls of this endpoint of interface A instead of upserts: `A1` to `A11` (service-interface.md#onboarding-requests). */
  readonly endpoint?: string
  /** For calls of interface A with exactly this path, which has no query, instead of upserts. */
  readonly path?: string
  /** How many upserts or calls get it; 1 when neither this nor `every` is given. */
  readonly next?: number
  /** Each n-th one gets it, until cleared. */
  readonly every?: number
  /** How long the request waits when its body has arrived. It is carried out afterwards even if its sender has gone. */
  readonly delay_ms?: number
  /** Answers so, and does not carry the request out: nothing is stored. A function is for upserts only. */
  readonly answer?: ScriptedAnswer | AnswerMaker
  /** Resets the connection instead of answering, `before` or `after` the request is carried out. */
  readonly reset?: 'before' | 'after'
}
