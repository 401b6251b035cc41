// Errors by which a topic's policies stop the run: where, what was found, and the option that says otherwise. Never data.

import { ConnectorError } from '../../core/errors.ts'

/** Where a record lies, and what for. */
export interface RecordPlace {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly table: string
}

export function nullKeyStop(place: RecordPlace): ConnectorError {
  return stop(
    place,
    `the record has no Kafka key, and the keys of table "${place.table}" come from it.`,
    'Choose null_keys: offset or null_keys: dead-letter for the topic, or take its keys from the value.',
  )
}

export function tombstoneStop(place: RecordPlace): ConnectorError {
  return stop(
    place,
    `the record has no value: a tombstone, for table "${place.table}".`,
    'Choose tombstones: ignore, mark or dead-letter for the topic.',
  )
}

export function truncateStop(place: RecordPlace): ConnectorError {
  return stop(
    place,
    `the source table of "${place.table}" was truncated, and rows cannot be deleted there.`,
    'Delete them yourself if they are to go, and choose truncate: ignore for the topic.',
  )
}

export function unavailableStop(place: RecordPlace, columns: readonly string[]): ConnectorError {
  return stop(
    place,
    `Debezium did not see the value of ${columnsInWords(columns)} of table "${place.table}": it is large and did not change.`,
    'Set REPLICA IDENTITY FULL for the table at the source, or choose unavailable: null or unavailable: dead-letter for the topic.',
  )
}

const SHOWN = 10
const SHOWN_NAME = 200

/** For messages: a record may name its columns at any length. */
export function columnsInWords(columns: readonly string[]): string {
  const names = columns
    .slice(0, SHOWN)
    .map((name) => JSON.stringify(name.length <= SHOWN_NAME ? name : `${name.slice(0, SHOWN_NAME)}…`))
  const more = columns.length > SHOWN ? ` and ${columns.length - SHOWN} more` : ''
  return `${columns.length === 1 ? 'column' : 'columns'} ${names.join(', ')}${more}`
}

function stop({ topic, partition, offset }: RecordPlace, found: string, remedy: string): ConnectorError {
  return new ConnectorError(
    'config',
    `Topic "${topic}", partition ${partition}, offset ${offset}: ${found} ${remedy}`,
    {
      track: { name: topic },
    },
  )
}
