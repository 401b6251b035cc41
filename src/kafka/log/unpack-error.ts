// Why a compressed batch could not be unpacked. Knows no codec.

export type Codec = 'gzip' | 'snappy' | 'lz4' | 'zstd'

/** damaged: the bytes are none of that codec's; tooLarge: they would unpack to more than is taken. */
export class UnpackError extends Error {
  override readonly name = 'UnpackError'
  readonly reason: 'damaged' | 'tooLarge'

  constructor(reason: 'damaged' | 'tooLarge', message: string) {
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
