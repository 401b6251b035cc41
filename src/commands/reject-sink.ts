// What diverting a record and keeping it tell each other. Types only.

import type { RecordItem, Rejected } from '../core/types.ts'
import type { Origin } from './origin.ts'

/** What is known of a rejected record. */
export interface RejectFacts {
  readonly stream: string
  readonly namespace: string | undefined
  readonly table: string | undefined
  /** Scrubbed and short. */
  readonly reason: string
  readonly superseded: number
  readonly line: number
  /** As of ISO 8601. */
  readonly rejectedAt: string
}

/** Where rejected records are kept. */
export interface RejectSink {
  /** For people. */
  readonly place: string
  /** What it resolves to is what `Rejects.put` promises.
   *  @param line the whole line, a character a byte
   *  @throws ConnectorError when it can not be kept */
  keep(rejected: Rejected<Origin>, facts: RejectFacts, line: string): Promise<readonly RecordItem<Origin>[] | undefined>
}
