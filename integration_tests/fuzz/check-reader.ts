// Lines through the scanner, the reader and the mapping of `write`, compared with what is right at each
// of them: verdicts, places of data and its members, points, keys, the bytes of states.

import { inspect } from 'node:util'
import { parseCatalog } from '../../src/airbyte/catalog.ts'
import type { Message, RecordMessage } from '../../src/airbyte/messages.ts'
import { messageLines, MessageReader } from '../../src/airbyte/reader.ts'
import { ConnectorError } from '../../src/core/errors.ts'
import type { RecordItem } from '../../src/core/types.ts'
import { Scanner, STRIDE } from '../../src/json/scanner.ts'
import type { Lines } from '../../src/json/split-lines.ts'
import { readPoints } from '../../src/local-service/read-points.ts'
import { mapStreams } from '../../src/mapping/map-streams.ts'
import { RecordMapper } from '../../src/mapping/record-mapper.ts'
import { MapperSpace } from '../../src/mapping/mapper-space.ts'
import { emptySlot } from '../../src/mapping/stream-mapping.ts'
import { UNTOUCHED } from '../../src/mapping/testing/facts.ts'
import type { Case } from './case.ts'
import { ExpectedPoints, type ExpectedKey } from './expected-point.ts'
import { expectedRun, wordsOf, type ExpectedLine, type ExpectedRun } from './expected-run.ts'
import { CANARY } from './generate.ts'
import { depthOf, membersOf } from './locate.ts'
import type { RightRecord } from './oracle.ts'
import { CATALOG, STREAMS, streamOf, type WorldStream } from './world.ts'
import { isJson } from '../../src/json/testing/is-json.ts'

const MAPPINGS = mapStreams(parseCatalog(JSON.stringify(CATALOG)), UNTOUCHED)
const scanner = new Scanner(1)

/** A difference from what is right. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

/** What became of the changed line: a kind of message, a fault, or why it was not reached; a record may be rejected. */
export type Fate = string

/** @throws Difference; whatever else is thrown is a defect too */
export function checkReader(one: Case): Fate {
  const expected = expectedRun(one.input)
  checkScanner(one.line)
  const run = new ReaderRun(expected)
  run.read(one)
  run.checkPoints()
  return run.fateOf(one.at)
}

function checkScanner(line: Buffer): void {
  const text = line.toString()
  if (!Buffer.from(text).equals(line)) return
  scanner.start(line, 0, line.length)
  scanner.skip()
  const accepted = scanner.finish()
  if (accepted !== isJson(text)) throw new Difference(`the scanner ${accepted ? 'accepts' : 'refuses'} it`)
  if (!accepted && !(scanner.failedAt >= 0 && scanner.failedAt <= line.length))
    throw new Difference(`the scanner finds the fault at ${scanner.failedAt}`)
}

class ReaderRun {
  readonly #expected: ExpectedRun
  /** Those that are to come out. */
  readonly #messages: readonly ExpectedLine[]
  #next = 0
  readonly #points = new ExpectedPoints()
  readonly #mappers = new Map<WorldStream, RecordMapper<number>>()
  /** Of a run: it knows which records came before. */
  readonly #space = new MapperSpace()
  readonly #accepted: Buffer[] = []
  readonly #keys: { item: { exact: unknown; fence: unknown }; key: ExpectedKey; stream: WorldStream }[] = []
  readonly #rejected = new Set<number>()

  constructor(expected: ExpectedRun) {
    this.#expected = expected
    this.#messages = expected.lines.filter(({ verdict }) => verdict.kind !== 'blank' && verdict.kind !== 'ignored')
  }

  read({ input, chunk }: Case): void {
    const reader = new MessageReader<WorldStream>(streamOf)
    const error = this.#readChunks(reader, input, chunk)
    checkError(error, this.#expected.fault)
    if (this.#next < this.#messages.length) throw new Difference(`line ${this.#messages[this.#next]!.line} is lost`)
  }

  /** As a pipe gives them: one buffer for all chunks, nothing of it kept. */
  #readChunks(reader: MessageReader<WorldStream>, input: Buffer, size: number): unknown {
    const splitter = messageLines()
    const buffer = Buffer.alloc(size)
    try {
      for (let from = 0; from < input.length; from += size) {
        const length = input.copy(buffer, 0, from, from + size)
        this.#readLines(reader, [...splitter.push(buffer.subarray(0, length))])
        buffer.fill('"')
      }
      this.#readLines(reader, [...splitter.end()])
      return undefined
    } catch (error) {
      if (error instanceof Difference) throw error
      return error
    }
  }

  #readLines(reader: MessageReader<WorldStream>, lines: readonly Lines[]): void {
    for (const messages of reader.read(lines)) {
      this.#space.reset()
      for (const message of messages) this.#check(message, this.#messages[this.#next++])
    }
  }

  #check(message: Message<WorldStream>, expected: ExpectedLine | undefined): void {
    const found = `a ${message.kind} of line ${message.line}`
    if (expected?.verdict.kind !== message.kind || expected.line !== message.line)
      throw new Difference(`${found} comes instead of ${expected?.verdict.kind ?? 'nothing'} of line ${expected?.line}`)
    const right = expected.verdict
    if (message.kind === 'record') this.#checkRecord(message, right as RightRecord)
    else if (message.kind === 'status') {
      if (right.kind === 'status' && (message.stream !== right.stream || message.status !== right.status))
        throw new Difference(`${found} says ${message.status}`)
    } else if (right.kind === 'state') {
      const sameBytes = Buffer.concat(message.withStats({ written: 7, rejected: 2, superseded: 0 })).equals(
        right.withStats(7, 2),
      )
      if (message.scope !== right.scope || !sameBytes) throw new Difference(`${found} is printed as another one`)
    }
  }

  #checkRecord(message: RecordMessage<WorldStream>, right: RightRecord): void {
    checkPlaces(message, right)
    const expected = this.#points.of(right)
    const item = this.#mapperOf(right.stream).map(message, message.line, 0, emptySlot(0))
    const found = `the record of line ${message.line}`
    if ((item.kind === 'rejected') !== expected.rejected)
      throw new Difference(`${found} is ${item.kind === 'rejected' ? `rejected: ${item.reason}` : 'accepted'}`)
    if (item.kind === 'rejected') {
      if (item.reason.includes(CANARY)) throw new Difference(`${found} is quoted: ${item.reason}`)
      this.#rejected.add(message.line)
    } else if (!expected.rejected) {
      const point = pointOf(item)
      if (!point.equals(expected.point))
        throw new Difference(`${found} becomes ${shown(point)}, not ${shown(expected.point)}`)
      this.#accepted.push(point)
      this.#checkKey(item, expected.key, right.stream)
    }
  }

  /** Keys are equal where they should be, at both levels. */
  #checkKey({ key }: RecordItem<number>, expected: ExpectedKey | undefined, stream: WorldStream): void {
    if ((key === undefined) !== (expected === undefined))
      throw new Difference(`a key of stream ${stream.table} is wrong`)
    if (expected === undefined) return
    const item = typeof key === 'object' ? key : { exact: key, fence: key }
    for (const other of this.#keys) {
      if (other.stream !== stream) continue
      for (const level of ['exact', 'fence'] as const)
        if ((other.item[level] === item[level]) !== (other.key[level] === expected[level]))
          throw new Difference(`of two keys ${other.key.exact} and ${expected.exact} the ${level} forms are wrong`)
    }
    this.#keys.push({ item: { exact: item.exact, fence: item.fence }, key: expected, stream })
  }

  /** No point that is accepted here spoils the batch it is in. */
  checkPoints(): void {
    if (this.#accepted.length === 0) return
    const body = Buffer.concat(this.#accepted.flatMap((point, index) => [Buffer.from(index === 0 ? '[' : ','), point]))
    const batch = Buffer.concat([body, Buffer.from(']')])
    const reading = readPoints(batch)
    if ('reasons' in reading) throw new Difference(`the service refuses a batch: ${reading.reasons.join('; ')}`)
    reading.points.forEach(({ from, to }, index) => {
      if (!batch.subarray(from, to).equals(this.#accepted[index]!))
        throw new Difference(`point ${index} is read wrongly`)
    })
  }

  fateOf(at: number): Fate {
    const { fault, lines } = this.#expected
    if (fault?.line === at) return fault.fault
    const verdict = lines.find(({ line }) => line === at)?.verdict
    if (verdict === undefined) return 'not reached'
    if (verdict.kind === 'record' && verdict.isBroken) return 'record, not UTF-8'
    return this.#rejected.has(at) ? 'record, rejected' : verdict.kind
  }

  #mapperOf(stream: WorldStream): RecordMapper<number> {
    const known = this.#mappers.get(stream)
    if (known) return known
    const mapper = new RecordMapper<number>(MAPPINGS[STREAMS.indexOf(stream)]!, this.#space)
    this.#mappers.set(stream, mapper)
    return mapper
  }
}

function checkError(error: unknown, fault: ExpectedRun['fault']): void {
  if (fault === undefined) {
    if (error !== undefined) throw new Difference(`the input stops the run: ${inspect(error)}`)
    return
  }
  const { kind, words } = wordsOf(fault)
  if (!(error instanceof ConnectorError)) throw new Difference(`line ${fault.line} is not found, but ${inspect(error)}`)
  if (error.kind !== kind || !words.every((word) => error.message.includes(word)))
    throw new Difference(`line ${fault.line} (${fault.fault}) ends in the ${error.kind} error "${error.message}"`)
  if (error.message.includes(CANARY) && fault.fault !== 'unknown stream')
    throw new Difference(`the error quotes its line: ${error.message}`)
}

/** Data, its members, the texts of emitted_at and meta: the very bytes. */
function checkPlaces(message: RecordMessage<WorldStream>, right: RightRecord): void {
  const { bytes, from, to, members, first, count } = message
  const { text, data, emitted, meta } = right
  const place = `line ${message.line}: its`
  const same = (from: number, to: number, range: { from: number; to: number }): boolean =>
    bytes.toString('latin1', from, to) === text.slice(range.from, range.to)
  if (message.stream !== right.stream) throw new Difference(`${place} stream is ${message.stream.table}`)
  if (!same(from, to, data)) throw new Difference(`${place} data is ${shown(bytes.subarray(from, to))}`)
  if (!same(message.emittedFrom, message.emittedTo, emitted))
    throw new Difference(`${place} emitted_at is another text`)
  if (!same(message.metaFrom, message.metaTo, meta)) throw new Difference(`${place} meta is another text`)
  if (message.isText === right.isBroken) throw new Difference(`${place} bytes are misjudged`)
  if (message.tooDeep !== depthOf(text, data) > 1024) throw new Difference(`${place} depth is misjudged`)
  const wanted = membersOf(text, data.from)
  if (count !== wanted.length) throw new Difference(`${place} data has ${count} members, not ${wanted.length}`)
  wanted.forEach(({ spelt, ...value }, index) => {
    const slot = (first + index) * STRIDE
    const [name = 0, ...rest] = members.subarray(slot, slot + STRIDE)
    const isEscaped = text.slice(spelt.from, spelt.to).includes('\\')
    const found = [name < 0 ? ~name : name, ...rest].map((at) => at - from + data.from)
    if (isEscaped !== name < 0 || found.join() !== [spelt.from, spelt.to, value.from, value.to].join())
      throw new Difference(`${place} member ${index} of data stands elsewhere`)
  })
}

function pointOf({ head, headFrom, headTo, bytes, from, to }: RecordItem<number>): Buffer {
  return Buffer.concat([head.subarray(headFrom, headTo), bytes.subarray(from, to)])
}

function shown(bytes: Uint8Array): string {
  return JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 300))
}
