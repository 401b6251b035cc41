// Finds where each HTTP/1.1 request of a connection ends, by Content-Length, without keeping bodies. Knows no service and
// checks nothing more than it needs: it is for the bench's own server.

/** A request's method and its target as sent, query included. */
export interface RequestHead {
  readonly method: string
  readonly target: string
}

export interface FramerEvents {
  /** The head is complete; its body follows. */
  readonly head?: (head: RequestHead) => void
  /** A piece of the current body; a view that is only valid during the call. */
  readonly body?: (piece: Buffer) => void
  /** The request's last byte has been seen. */
  readonly end: (head: RequestHead) => void
}

const MAX_HEAD_BYTES = 65_536
const END_OF_HEAD = Buffer.from('\r\n\r\n')

/**
 * A function to feed one connection's chunks to, wherever they are cut.
 * It throws a RangeError at what it cannot frame: a chunked body, a head without end, a length that is no number.
 */
export function createRequestFramer(events: FramerEvents): (chunk: Buffer) => void {
  let held: Buffer | undefined
  let current: RequestHead | undefined
  let missing = 0

  return function push(chunk) {
    const bytes = held === undefined ? chunk : Buffer.concat([held, chunk])
    held = undefined
    let at = 0
    while (at < bytes.length) {
      if (current === undefined) {
        const end = bytes.indexOf(END_OF_HEAD, at)
        if ((end === -1 ? bytes.length : end) - at > MAX_HEAD_BYTES) throw new RangeError('the head has no end')
        if (end === -1) {
          held = Buffer.from(bytes.subarray(at))
          return
        }
        const text = bytes.toString('latin1', at, end)
        at = end + END_OF_HEAD.length
        missing = contentLength(text)
        current = parseHead(text)
        events.head?.(current)
      } else {
        const stop = Math.min(bytes.length, at + missing)
        events.body?.(bytes.subarray(at, stop))
        missing -= stop - at
        at = stop
      }
      if (missing === 0) {
        const head = current
        current = undefined
        events.end(head)
      }
    }
  }
}

function parseHead(text: string): RequestHead {
  const [method = '', target = ''] = text.slice(0, lineEnd(text)).split(' ')
  return { method, target }
}

function contentLength(text: string): number {
  if (/\r\ntransfer-encoding[ \t]*:/i.test(text)) throw new RangeError('a chunked body has no Content-Length')
  const match = /\r\ncontent-length[ \t]*:([^\r]*)/i.exec(text)
  if (match === null) return 0
  const digits = match[1]!.trim()
  if (!/^\d{1,15}$/.test(digits)) throw new RangeError(`Content-Length is no number: ${digits}`)
  return Number(digits)
}

function lineEnd(text: string): number {
  const end = text.indexOf('\r\n')
  return end === -1 ? text.length : end
}
