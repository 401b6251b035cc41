// Cuts a stream of bytes into lines: at LF (byte 10) and nowhere else, because U+2028 is an ordinary character of a JSON string.
// Numbers the lines, and does not look into them: a CR before the LF stays, which to JSON is white space.

/** Whole lines of one buffer. Line i is bytes[bounds[2i], bounds[2i + 1]), without its LF. */
export interface Lines {
  readonly bytes: Buffer
  /** Where each line begins and ends, in turn. What lies behind 2 × count has no meaning. */
  readonly bounds: Int32Array
  readonly count: number
  /** The number of the first line in the stream, from 1. */
  readonly firstLine: number
  /** Whether the last line has no LF, because the input ended in it. */
  readonly unterminated: boolean
  /** Leaves `bytes` to the caller for good. Present only with a very long line, whose buffer the next `push` overwrites otherwise. */
  readonly keep?: () => void
}

export const LF = 10
const NOTHING = Buffer.alloc(0)
const DEFAULT_MOST_BYTES = 256 * 1024 * 1024
/** A line of more bytes is a very long one, if it comes in several chunks. With `onLong` it is gathered in one buffer, which is used again
 *  for the next: to join pieces of it, or to let a buffer grow, would take twice its length. */
const MOST_SHORT_BYTES = 1024 * 1024

export interface SplitOptions {
  /** The longest line, without its LF. A longer one is an error, which comes after every line before it was yielded. 256 MiB by default. */
  readonly maxLineBytes?: number
  /** Makes the error for a line that is longer than `limit`. By default it is a LineTooLong. */
  readonly tooLong?: (line: number, limit: number) => Error
  /** Called when a line turns out to be very long, before memory is taken for it. When this is given, very long lines share a buffer, one
   *  after another (`keep` of Lines). Otherwise each has its own. */
  readonly onLong?: () => void
}

/** A line is longer than the splitter's limit. `line` counts from 1, `limit` is in bytes. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong'
  readonly line: number
  readonly limit: number

  constructor(line: number, limit: number) {
    super(`line ${line} is longer than ${limit} bytes`)
    this.line = line
    this.limit = limit
  }
}

/** Splits chunks into lines. Call `push` for each chunk, then `end`, and read to its end what each yields. Lines that lie within one chunk
 *  are views of it, so the chunk may be overwritten only when the Lines of its `push` are no longer used. A line that goes on in the
 *  next chunk is copied, into bytes of its own, or into a shared buffer if it is very long (`keep` of Lines). */
export class LineSplitter {
  readonly #limit: number
  readonly #tooLong: (line: number, limit: number) => Error
  readonly #onLong: (() => void) | undefined
  /** The line that goes on in the next chunk: its pieces so far. Empty when it is very long, for then it is in `#long`. */
  #pieces: Buffer[] = []
  /** How many bytes of that line came so far. */
  #held = 0
  /** The buffer of very long lines. It has room for the longest line and its LF, but takes only the memory that was written to. */
  #long: Buffer | undefined
  /** Whether the line that goes on is in `#long`. */
  #isLong = false
  #nextLine = 1
  /** The length of `bounds` for the next chunk: what the last chunk needed. */
  #boundsLength = 64

  constructor(options: SplitOptions = {}) {
    this.#limit = options.maxLineBytes ?? DEFAULT_MOST_BYTES
    this.#tooLong = options.tooLong ?? ((line, limit) => new LineTooLong(line, limit))
    this.#onLong = options.onLong
  }

  *push(chunk: Uint8Array): Generator<Lines> {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let from = 0
    if (this.#held > 0) {
      const lf = bytes.indexOf(LF)
      this.#hold(lf === -1 ? bytes : bytes.subarray(0, lf + 1))
      if (lf === -1) return
      yield this.#joined({ unterminated: false })
      from = lf + 1
    }
    const lines = this.#split(bytes, from)
    if (lines.count > 0) yield lines
    const unfinishedFrom = lines.count > 0 ? lines.bounds[2 * lines.count - 1]! + 1 : from
    if (unfinishedFrom < bytes.length) this.#hold(bytes.subarray(unfinishedFrom))
  }

  /** Yields the last line if the input ended without LF. */
  *end(): Generator<Lines> {
    if (this.#held > 0) yield this.#joined({ unterminated: true })
  }

  /** Adds a piece to the line that goes on. It is copied, because the chunk may be overwritten by the time the line is whole.
   *  @param piece ends with the line's LF, if that has come */
  #hold(piece: Buffer): void {
    this.#held += piece.length
    const lineBytes = piece.at(-1) === LF ? this.#held - 1 : this.#held
    if (lineBytes > this.#limit) {
      this.#pieces = []
      this.#held = 0
      this.#isLong = false
      throw this.#tooLong(this.#nextLine, this.#limit)
    }
    if (!this.#onLong || this.#held <= MOST_SHORT_BYTES) this.#pieces.push(Buffer.from(piece))
    else this.#gather(piece, this.#onLong)
  }

  /** Adds a piece of a very long line to `#long`. The first time, the pieces that were held before go there first.
   *  @param piece already counted in `#held` */
  #gather(piece: Buffer, onLong: () => void): void {
    if (!this.#isLong) onLong()
    const long = (this.#long ??= Buffer.allocUnsafeSlow(this.#limit + 1))
    let at = this.#held - piece.length
    if (!this.#isLong) {
      at = 0
      for (const before of this.#pieces) at += before.copy(long, at)
      this.#pieces = []
      this.#isLong = true
    }
    piece.copy(long, at)
  }

  /** Takes the line that was held, which is whole now. */
  #joined({ unterminated }: Pick<Lines, 'unterminated'>): Lines {
    // an LF stands behind the line even if the input has none: then the scanner needs no bounds check
    const missingLf = unterminated ? Buffer.of(LF) : NOTHING
    let bytes: Buffer
    if (this.#isLong) {
      missingLf.copy(this.#long!, this.#held)
      bytes = this.#long!.subarray(0, this.#held + missingLf.length)
    } else bytes = Buffer.concat([...this.#pieces, missingLf])
    const keepable = this.#isLong ? { keep: () => void (this.#long = undefined) } : {}
    this.#pieces = []
    this.#held = 0
    this.#isLong = false
    const bounds = Int32Array.of(0, bytes.length - 1)
    return { bytes, bounds, count: 1, firstLine: this.#nextLine++, unterminated, ...keepable }
  }

  /** Finds the lines that end in a chunk, from `from` on. Stops before one that is too long, for `#hold` to refuse. */
  #split(bytes: Buffer, from: number): Lines {
    let bounds = new Int32Array(this.#boundsLength)
    let size = 0
    let at = from
    for (let lf = bytes.indexOf(LF, at); lf !== -1; lf = bytes.indexOf(LF, at)) {
      if (lf - at > this.#limit) break
      if (size === bounds.length) bounds = doubled(bounds)
      bounds[size++] = at
      bounds[size++] = lf
      at = lf + 1
    }
    this.#boundsLength = bounds.length
    const firstLine = this.#nextLine
    this.#nextLine += size / 2
    return { bytes, bounds, count: size / 2, firstLine, unterminated: false }
  }
}

function doubled(bounds: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(bounds.length * 2)
  larger.set(bounds)
  return larger
}
