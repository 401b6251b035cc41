// Batches that cannot be read: why, and the message for the user.

import { ConnectorError } from '../../core/errors.ts'
import type { TopicPartition } from '../types.ts'

export type Codec = 'gzip' | 'snappy' | 'lz4' | 'zstd'

/** damaged: malformed; tooLarge: it would unpack to more than we accept; old: a format that we do not read. */
export class UnpackError extends Error {
  override readonly name = 'UnpackError'
  readonly reason: 'damaged' | 'tooLarge' | 'old'

  constructor(reason: 'damaged' | 'tooLarge' | 'old', message: string) {
    super(message)
    this.reason = reason
  }
}

export function damaged(what: string): UnpackError {
  return new UnpackError('damaged', what)
}

/** @param limit bytes */
export function tooLarge(limit: number): UnpackError {
  return new UnpackError('tooLarge', `it unpacks to more than ${Math.floor(limit / 1024 / 1024)} MiB`)
}

export interface UnreadableBatch {
  readonly codec: Codec | 'none' | `codec ${number}`
  readonly error: UnpackError
  /** Offsets of its first and last record, from the header. `undefined` when not known. */
  readonly offsets: { readonly first: bigint; readonly last: bigint } | undefined
}

/** @param next the offset where reading stands @returns the error for the user */
export function unreadable({ topic, partition }: TopicPartition, batch: UnreadableBatch, next: bigint): ConnectorError {
  const { codec, error, offsets } = batch
  const what = offsets ? `the batch of the offsets ${offsets.first} to ${offsets.last}` : `what comes at offset ${next}`
  const where = `Topic ${JSON.stringify(topic)}, partition ${partition}: ${what}`
  const to = offsets ? `to ${offsets.last + 1n}` : 'to one behind it'
  const goOn = `To continue without it, set the group's offset of this partition ${to} while nothing runs (kafka-consumer-groups --reset-offsets).`
  const track = { name: topic }
  if (error.reason === 'old')
    return new ConnectorError(
      'config',
      'topic.batch-too-old',
      `${where} is in ${error.message}, which is not supported. Have its records written again by a current producer. ${goOn}`,
      { cause: error, track },
    )
  if (error.reason === 'tooLarge')
    return new ConnectorError(
      'config',
      'topic.batch-too-large',
      `${where}${codec === 'none' ? '' : `, compressed with ${codec},`} is too large: ${error.message}. Let its producer make smaller batches (batch.size). ${goOn}`,
      { cause: error, track },
    )
  return new ConnectorError(
    'system',
    'topic.batch-damaged',
    `${where} is damaged: ${codec === 'none' ? '' : `it should be compressed with ${codec}, but `}${error.message}. Look at that partition's log with another program too. ${goOn}`,
    { cause: error, track },
  )
}
