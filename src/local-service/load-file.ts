// Fills a table from a file before the service answers: JSON lines, each as an upsert's body may be.

import { createReadStream } from 'node:fs'
import { ConnectorError } from '../core/errors.ts'
import { fileFault } from '../files/file-faults.ts'
import { isObject } from '../json/is-object.ts'
import { LineSplitter, type Lines } from '../json/split-lines.ts'
import { afterSpace } from '../json/tokens.ts'
import { parseJson } from '../json/true-names.ts'
import { keyFaults, readPoints } from './read-points.ts'
import type { PointSlice, Store } from './store.ts'

export interface LoadedFile {
  readonly table: string
  readonly file: string
}

const CATALOG =
  'it looks like a catalog, which is given to write --catalog: --load orders=FILE takes data points of table orders'
const CHUNK_BYTES = 256 * 1024
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Stores the points of `file` in order, as upserts of client `clientId` would be. White space around a point, empty lines,
 *  a byte order mark and a last line without its end are tolerated.
 *  @returns how many points there were
 *  @throws ConnectorError config that names file and line when a line is refused, or when the file cannot be read: points before
 *  it may be stored then. AbortError when `signal` aborts. */
export async function loadFile(
  { table, file }: LoadedFile,
  clientId: number,
  store: Store,
  now: () => number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const splitter = new LineSplitter()
  let count = 0
  const put = async (some: Iterable<Lines>): Promise<void> => {
    for (const lines of some) {
      const points = pointsOf(lines, table, file)
      if (points.length > 0) await store.upsert(clientId, table, lines.bytes, points, now())
      count += points.length
    }
  }
  try {
    const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES, ...(signal && { signal }) })
    for await (const chunk of stream) await put(splitter.push(chunk as Buffer))
    await put(splitter.end())
  } catch (error) {
    if (error instanceof ConnectorError || signal?.aborted) throw error
    const why = fileFault(error, 'read') ?? (error as Error).message
    throw new ConnectorError('config', undefined, `The file ${file} cannot be loaded: ${why}.`, { cause: error })
  }
  return count
}

function pointsOf({ bytes, bounds, count, firstLine }: Lines, table: string, file: string): readonly PointSlice[] {
  const points: PointSlice[] = []
  for (let index = 0; index < count; index++) {
    const to = bounds[2 * index + 1]!
    const line = firstLine + index
    const from = startOf(bytes, bounds[2 * index]!, line)
    if (afterSpace(bytes, from) >= to) continue
    const text = bytes.subarray(from, to)
    const reading = readPoints(text)
    if ('reasons' in reading) {
      const isCatalog = line === 1 && /^\s*\{\s*"streams"\s*:\s*\[/.test(bytes.toString('utf8', 0, 200))
      throw refused(file, line, isCatalog ? [CATALOG] : reading.reasons, likelyKey(text, table))
    }
    for (const point of reading.points) points.push({ ...point, from: point.from + from, to: point.to + from })
  }
  return points
}

/** The first line may begin with a byte order mark. */
function startOf(bytes: Buffer, from: number, line: number): number {
  const marked = line === 1 && bytes.subarray(from, from + BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  return marked ? from + BYTE_ORDER_MARK.length : from
}

/** A field of a row without `keys` that by its name tells rows apart. */
function likelyKey(text: Buffer, table: string): string | undefined {
  let row: unknown
  try {
    row = parseJson(text.toString('utf8'), text)
  } catch {
    return undefined
  }
  if (!isObject(row) || Object.hasOwn(row, 'keys')) return undefined
  const likely = ['id', '_id', 'uuid', 'key', `${table}_id`, `${table.replace(/s$/, '')}_id`]
  return likely.find((name) => keyFaults({ ...row, keys: [name] }).length === 0)
}

function refused(file: string, line: number, reasons: readonly string[], key: string | undefined): ConnectorError {
  const keys = `"keys":["${key ?? 'id'}"],`
  const offer =
    key === undefined
      ? ''
      : ` If "${key}" tells these rows apart, sed 's/{/{${keys}/' FILE > NEW writes them as data points.`
  return new ConnectorError(
    'config',
    undefined,
    `The file ${file} cannot be loaded, line ${line} is refused: ${reasons.join('; ')}. Each line must be a data point, an object with keys, such as {${keys}"${key ?? 'id'}":1}.${offer}`,
  )
}
