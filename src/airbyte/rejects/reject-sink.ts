// What diverting a record and keeping it tell each other. Types only.

import type { RecordItem, Rejected } from '../../core/types.ts'
import type { Rejection } from '../rejection.ts'
import type { Origin } from '../origin.ts'

/** What is known of a rejected record; its reason is scrubbed and short. */
export type RejectFacts = Rejection

/** Where rejected records are kept. */
export interface RejectSink {
  /** For people. */
  readonly place: string
  /** What it resolves to is what `Rejects.put` promises.
   *  @param line the whole line: its bytes, or a character for each
   *  @throws ConnectorError when it cannot be kept */
  keep(
    rejected: Rejected<Origin>,
    facts: RejectFacts,
    line: string | Buffer,
  ): Promise<readonly RecordItem<Origin>[] | undefined>
}
