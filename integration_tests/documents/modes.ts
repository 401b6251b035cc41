// The modes in which the corpus of documents is tried: the stream's configuration, and the members that the connector
// puts in front of a document, written down by hand.

import type { DocumentCase, Expectation } from '../../spec/documents/read-corpus.ts'
import { stream } from '../write/driver.ts'

export interface DocumentMode {
  readonly name: string
  /** Where the corpus says what is expected in this mode: the first of these that a case has. */
  readonly words: readonly string[]
  /** Documents that stop a run are tried only where the corpus has this mode's own word: the others are those of another mode. */
  readonly variant?: true
  /** Options of the connector, if any. */
  readonly config?: object
  /** Does the primary key identify a row? */
  readonly keyed: boolean
  /** A stream of the catalog. @param key JSON text of the primary key's field */
  streamOf(name: string, key: string): object
  /** The start of a row, up to and without the comma before the document's own members; `‹id›` in the place of a row's id. */
  head(point: PointFacts): string
}

/** Parts of a head that are a case's own. */
export type PointFacts = Pick<DocumentCase, 'sent' | 'emitted' | 'changes' | 'hoisted'>

const ROW_ID = '{"keys":["_airbyte_raw_id"],"_airbyte_raw_id":"‹id›"'
const keyed = ({ sent, hoisted }: PointFacts): string => `{"keys":[${sent}]${hoisted}`
/** The primary key of a catalog. */
const pathTo = (key: string): string[][] => [[JSON.parse(key) as string | string[]].flat()]

export const DOCUMENT_MODES: readonly DocumentMode[] = [
  {
    name: 'append',
    words: ['append', 'all'],
    keyed: false,
    streamOf: (name, key) => stream(name, { destination_sync_mode: 'append', primary_key: pathTo(key) }),
    head: () => ROW_ID,
  },
  {
    name: 'append_dedup',
    words: ['append_dedup', 'all'],
    keyed: true,
    streamOf: (name, key) => stream(name, { primary_key: pathTo(key) }),
    head: keyed,
  },
  {
    name: 'with_extracted_at',
    words: ['with_extracted_at', 'append', 'all'],
    variant: true,
    config: { older_rows: 'keep' },
    keyed: false,
    streamOf: (name, key) => stream(name, { destination_sync_mode: 'overwrite', primary_key: pathTo(key) }),
    head: ({ emitted }) => `${ROW_ID},"_airbyte_extracted_at":${emitted}`,
  },
  {
    name: 'with_generation_id',
    words: ['with_generation_id', 'append_dedup', 'all'],
    variant: true,
    config: { older_rows: 'keep' },
    keyed: true,
    streamOf: (name, key) =>
      stream(name, { primary_key: pathTo(key), generation_id: 42, minimum_generation_id: 42, sync_id: 1 }),
    head: (point) => `${keyed(point)},"_airbyte_generation_id":42`,
  },
  {
    name: 'with_metadata_columns',
    words: ['with_metadata_columns', 'append', 'all'],
    variant: true,
    config: { metadata_columns: ['_airbyte_extracted_at', '_airbyte_generation_id', '_airbyte_meta'] },
    keyed: false,
    streamOf: (name, key) =>
      stream(name, {
        destination_sync_mode: 'append',
        primary_key: pathTo(key),
        generation_id: 42,
        minimum_generation_id: 0,
        sync_id: 9,
      }),
    head: ({ emitted, changes }) =>
      `${ROW_ID},"_airbyte_extracted_at":${emitted},"_airbyte_generation_id":42,"_airbyte_meta":{"sync_id":9,"changes":${changes}}`,
  },
]

/** What the corpus expects of a case in a mode; undefined: it is not tried there. */
export function expectationOf(one: DocumentCase, mode: DocumentMode): Expectation | undefined {
  return mode.words.map((word) => one.expected.get(word)).find((expectation) => expectation !== undefined)
}
