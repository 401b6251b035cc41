// What diverting a record and keeping it share. Types only.

import type { RecordItem, Rejected } from '../../core/types.ts'
import type { Rejection } from '../../mapping/rejected-points.ts'
import type { Origin } from '../origin.ts'

/** Where rejected records are kept. */
export interface RejectSink {
  /** For people. */
  readonly place: string
  /** What it resolves to is what `Rejects.put` promises.
   *  @param facts its reason is scrubbed and short
   *  @param line the whole line: its bytes, or a character for each
   *  @throws ConnectorError when it cannot be kept */
  keep(
    rejected: Rejected<Origin>,
    facts: Rejection,
    line: string | Buffer,
  ): Promise<readonly RecordItem<Origin>[] | undefined>
}
