// What an exchange ends in, and the faults that can be scripted for it.

export type HeaderValue = string | number | readonly string[]

/** One answer. `body` is sent as it is; text is UTF-8. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, HeaderValue>>
  readonly body: string | Iterable<Uint8Array>
  /** How many points an accepted upsert took. */
  readonly points?: number | undefined
  /** Why a request was refused, as the body says too. */
  readonly reasons?: readonly string[] | undefined
}

/** The end of an exchange: an answer, or a connection reset without one, after the points that were taken all the same. */
export type Ending = Answer | { readonly status: 'reset'; readonly points?: number | undefined }

/** One upsert whose body has arrived, as hooks and scripted answers see it. The same object in both hooks. */
export interface SeenUpsert {
  readonly clientId: number
  /** The table as named in the path, percent-decoded. `undefined` when the name cannot be decoded. */
  readonly table: string | undefined
  readonly sandbox: boolean
  /** Empty when the body was larger than the limit. */
  readonly body: Uint8Array
}

/** A scripted answer. A body that is no text is sent as JSON; without one the ordinary body of that status is. */
export interface ScriptedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, HeaderValue>>
  readonly body?: string | object
}

/** Makes an answer when its turn comes. `undefined` when this upsert is answered as if there were no fault. */
export type AnswerMaker = (upsert: SeenUpsert) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>

/** A scripted fault: for whom, how often, what (service-interface.md#our-own-paths). */
export interface Fault {
  /** Any table when absent. */
  readonly table?: string
  /** For calls of this endpoint of interface A instead of upserts: `A1` to `A11`
   *  (service-interface.md#onboarding-requests). */
  readonly endpoint?: string
  /** For calls of interface A with exactly this path, which has no query, instead of upserts. */
  readonly path?: string
  /** How many upserts or calls get it; 1 when neither this nor `every` is given. */
  readonly next?: number
  /** Each n-th one gets it, until cleared. */
  readonly every?: number
  /** Waits with the body in hand, before anything else; it is still carried out if its sender has gone. */
  readonly delay_ms?: number
  /** Given instead of carrying it out; nothing is stored. A function is for upserts only. */
  readonly answer?: ScriptedAnswer | AnswerMaker
  /** The connection is reset and no answer sent, `before` storing anything or `after`. */
  readonly reset?: 'before' | 'after'
}
