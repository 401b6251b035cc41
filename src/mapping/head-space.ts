// Where heads of their own are written: one buffer for all streams, used again for each chunk of input.

const FIRST_BYTES = 64 * 1024

/** Bytes handed out stay as they are until `reset`. */
export class HeadSpace {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  at = 0

  /** Makes room for so many bytes at `at` of `bytes`, which may be another buffer than before. */
  reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return
    // items still view the old one
    this.bytes = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, size))
    this.at = 0
  }

  /** Nothing handed out so far is needed any more. */
  reset(): void {
    this.at = 0
  }
}
