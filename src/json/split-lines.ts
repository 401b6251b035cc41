// Cuts a byte stream into lines at byte 10 and nowhere else (U+2028 is an ordinary character of a JSON string).
// Counts lines; doesn't look into them, so a CR before the LF stays (to JSON it is white space).

/** Whole lines of one buffer. Line i is bytes[bounds[2i], bounds[2i + 1]), without its LF. */
export interface Lines {
  readonly bytes: Buffer
  /** from, to pairs; may be longer than 2 × count. */
  readonly bounds: Int32Array
  readonly count: number
  /** 1-based number of the first line; every LF counts. */
  readonly firstLine: number
  /** The last line has no LF: the input ended in it. */
  readonly unterminated: boolean
  /** Keeps the bytes of a very long line, which the next `push` writes over otherwise. Absent when nothing does. */
  readonly keep?: () => void
}

const LF = 10
const NOTHING = Buffer.alloc(0)
const DEFAULT_LIMIT = 256 * 1024 * 1024
/** Beyond, a line is gathered in a buffer that is kept: in pieces, or in one that grows, it would take twice its length. */
const SHORT_BYTES = 1024 * 1024

export interface SplitOptions {
  /** A longer line ends the splitting, after every line before it was yielded. */
  readonly maxLineBytes?: number
  /** Makes the error for a line over the limit; default: LineTooLong. */
  readonly tooLong?: (line: number, limit: number) => Error
  /** Called when a line turns out to be very long, before memory is taken for it. With it very long lines share a buffer, one after
   *  another (`keep` of Lines); without, each has its own. */
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

/** Splits chunks into lines: `push` for each chunk, then `end`, each read to its end. What it yields is views of the chunk, which may
 *  be used again once all Lines of its `push` are done with. Only a line that goes on in the next chunk is copied; its bytes are its
 *  own, but for very long ones (`keep` of Lines). */
export class LineSplitter {
  readonly #limit: number
  readonly #tooLong: (line: number, limit: number) => Error
  readonly #onLong: (() => void) | undefined
  #pieces: Buffer[] = []
  #held = 0
  /** Has room for the longest line there may be, but takes only the memory that was written to. */
  #long: Buffer | undefined
  #isLong = false
  #line = 1
  /** Places of `bounds` that the last chunk needed. */
  #expected = 64

  constructor(options: SplitOptions = {}) {
    this.#limit = options.maxLineBytes ?? DEFAULT_LIMIT
    this.#tooLong = options.tooLong ?? ((line, limit) => new LineTooLong(line, limit))
    this.#onLong = options.onLong
  }

  *push(chunk: Uint8Array): Generator<Lines> {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let from = 0
    if (this.#held > 0) {
      const lf = bytes.indexOf(LF)
      this.#hold(lf === -1 ? bytes : bytes.subarray(0, lf + 1), lf === -1 ? 0 : 1)
      if (lf === -1) return
      yield this.#joined(false)
      from = lf + 1
    }
    const lines = this.#split(bytes, from)
    if (lines.count > 0) yield lines
    const rest = lines.count > 0 ? (lines.bounds[2 * lines.count - 1] ?? 0) + 1 : from
    if (rest < bytes.length) this.#hold(bytes.subarray(rest), 0)
  }

  /** Yields the last line if the input ended without LF. */
  *end(): Generator<Lines> {
    if (this.#held > 0) yield this.#joined(true)
  }

  /** Copies: the chunk may be reused by the time the line is whole.
   *  @param terminators 1 when the piece ends with the line's LF, else 0 */
  #hold(piece: Buffer, terminators: number): void {
    this.#held += piece.length
    if (this.#held - terminators > this.#limit) {
      this.#pieces = []
      this.#held = 0
      this.#isLong = false
      throw this.#tooLong(this.#line, this.#limit)
    }
    if (!this.#onLong || this.#held <= SHORT_BYTES) this.#pieces.push(Buffer.from(piece))
    else this.#gather(piece, this.#onLong)
  }

  /** Gathers a very long line in one buffer, those of its pieces first that were held before it was known to be long.
   *  @param piece the newest, already counted in `#held` */
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

  #joined(unterminated: boolean): Lines {
    // An LF behind the line also when the input has none, as the scanner needs no bounds check then.
    const more = unterminated ? Buffer.of(LF) : NOTHING
    let bytes: Buffer
    if (this.#isLong) {
      more.copy(this.#long!, this.#held)
      bytes = this.#long!.subarray(0, this.#held + more.length)
    } else bytes = Buffer.concat([...this.#pieces, more])
    const own = this.#isLong ? { keep: () => void (this.#long = undefined) } : {}
    this.#pieces = []
    this.#held = 0
    this.#isLong = false
    const bounds = Int32Array.of(0, bytes.length - 1)
    return { bytes, bounds, count: 1, firstLine: this.#line++, unterminated, ...own }
  }

  #split(bytes: Buffer, from: number): Lines {
    let bounds = new Int32Array(this.#expected)
    let size = 0
    let at = from
    for (let lf = bytes.indexOf(LF, at); lf !== -1; lf = bytes.indexOf(LF, at)) {
      if (lf - at > this.#limit) break
      if (size === bounds.length) bounds = doubled(bounds)
      bounds[size++] = at
      bounds[size++] = lf
      at = lf + 1
    }
    this.#expected = bounds.length
    const firstLine = this.#line
    this.#line += size / 2
    return { bytes, bounds, count: size / 2, firstLine, unterminated: false }
  }
}

function doubled(bounds: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(bounds.length * 2)
  larger.set(bounds)
  return larger
}
