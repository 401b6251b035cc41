// Batches that cannot be read: the errors by which readers say why, and the message for the user.

import { ConnectorError } from '../../core/errors.ts'
import type { TopicPartition } from '../types.ts'

export type Codec = 'gzip' | 'snappy' | 'lz4' | 'zstd'

/** The error of a batch that is damaged (malformed), tooLarge (it would unpack to more than we accept) or old (a format that we do not
 *  read). Its message is a clause about the batch ("it ends too early"); for an old one the name of the format. */
export class UnpackError extends Error {
  override readonly name = 'UnpackError'
  readonly reason: 'damaged' | 'tooLarge' | 'old'

  constructor(reason: 'damaged' | 'tooLarge' | 'old', message: string) {
    super(message)
    this.reason = reason
  }
}

/** @param clause about the batch: "it ends too early" */
export function damaged(clause: string): UnpackError {
  return new UnpackError('damaged', clause)
}

export function tooLarge(limitBytes: number): UnpackError {
  return new UnpackError('tooLarge', `it unpacks to more than ${Math.floor(limitBytes / 1024 / 1024)} MiB`)
}

export interface UnreadableBatch {
  readonly codec: Codec | 'none' | `codec ${number}`
  readonly error: UnpackError
  /** The first and the last offset, from the header. `undefined` when they are not known. */
  readonly offsets: { readonly first: bigint; readonly last: bigint } | undefined
}

/** Makes the error for the user, which tells how to go on behind the batch. @param next the offset that was to be read next */
export function batchError({ topic, partition }: TopicPartition, batch: UnreadableBatch, next: bigint): ConnectorError {
  const { codec, error, offsets } = batch
  const what = offsets ? `the batch of the offsets ${offsets.first} to ${offsets.last}` : `what comes at offset ${next}`
  const subject = `Topic ${JSON.stringify(topic)}, partition ${partition}: ${what}`
  const to = offsets ? `to ${offsets.last + 1n}` : 'to one behind it'
  const remedy = `To continue without it, set the group's offset of this partition ${to} while nothing runs (kafka-consumer-groups --reset-offsets).`
  const options = { cause: error, track: { name: topic } }
  if (error.reason === 'old')
    return new ConnectorError(
      'config',
      'topic.batch-too-old',
      `${subject} is in ${error.message}, which is not supported. Have its records written again by a current producer. ${remedy}`,
      options,
    )
  if (error.reason === 'tooLarge')
    return new ConnectorError(
      'config',
      'topic.batch-too-large',
      `${subject}${codec === 'none' ? '' : `, compressed with ${codec},`} is too large: ${error.message}. Let its producer make smaller batches (batch.size). ${remedy}`,
      options,
    )
  return new ConnectorError(
    'system',
    'topic.batch-damaged',
    `${subject} is damaged: ${codec === 'none' ? '' : `it should be compressed with ${codec}, but `}${error.message}. Look at that partition's log with another program too. ${remedy}`,
    options,
  )
}
