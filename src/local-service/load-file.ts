// Fills a table from a file before the service answers. Each line is JSON as the body of an upsert is: a point, or an array of points.

import { createReadStream } from 'node:fs'
import { ConnectorError, NO_CODE } from '../core/errors.ts'
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

/** The reason to refuse a file that looks like an Airbyte catalog. */
const CATALOG_GIVEN =
  'it looks like a catalog, which is given to write --catalog: --load orders=FILE takes data points of table orders'
const CHUNK_BYTES = 256 * 1024
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Stores the points of `file` in order, as upserts of client `clientId` would be. White space around a point, empty lines,
 *  a byte order mark and a last line without its end are tolerated.
 *  @returns how many points there were
 *  @throws ConnectorError config that names the file and a refused line; AbortError on `signal`. Points before may be stored then. */
export async function loadFile(
  { table, file }: LoadedFile,
  clientId: number,
  store: Store,
  now: () => number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const splitter = new LineSplitter()
  let count = 0
  const storeLines = async (pieces: Iterable<Lines>): Promise<void> => {
    for (const lines of pieces) {
      const points = pointsOf(lines, table, file)
      if (points.length > 0) await store.upsert(clientId, table, lines.bytes, points, now())
      count += points.length
    }
  }
  try {
    const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES, ...(signal && { signal }) })
    for await (const chunk of stream) await storeLines(splitter.push(chunk as Buffer))
    await storeLines(splitter.end())
  } catch (error) {
    if (error instanceof ConnectorError || signal?.aborted) throw error
    const why = fileFault(error, 'read') ?? (error as Error).message
    throw new ConnectorError('config', NO_CODE, `The file ${file} cannot be loaded: ${why}.`, { cause: error })
  }
  return count
}

/** The points of some lines, in one array. Line n of them is `bytes` from `bounds[2n]` to `bounds[2n + 1]`; a blank one has none. */
function pointsOf({ bytes, bounds, count, firstLine }: Lines, table: string, file: string): readonly PointSlice[] {
  const points: PointSlice[] = []
  for (let index = 0; index < count; index++) {
    const to = bounds[2 * index + 1]!
    const line = firstLine + index
    const from = afterByteOrderMark(bytes, bounds[2 * index]!, line)
    if (afterSpace(bytes, from) >= to) continue
    const text = bytes.subarray(from, to)
    const reading = readPoints(text)
    if ('reasons' in reading) {
      const isCatalog = line === 1 && /^\s*\{\s*"streams"\s*:\s*\[/.test(bytes.toString('utf8', 0, 200))
      throw refused(file, line, isCatalog ? [CATALOG_GIVEN] : reading.reasons, likelyKey(text, table))
    }
    for (const point of reading.points) points.push({ ...point, from: point.from + from, to: point.to + from })
  }
  return points
}

/** The place at which a line's text begins, behind a byte order mark, which only the file's first line may have. */
function afterByteOrderMark(bytes: Buffer, from: number, line: number): number {
  const isMarked = line === 1 && bytes.subarray(from, from + BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  return isMarked ? from + BYTE_ORDER_MARK.length : from
}

/** The field that seems to tell rows apart, by its name, in a row without `keys`. `undefined` when there is none, or the line is no row. */
function likelyKey(text: Buffer, table: string): string | undefined {
  let row: unknown
  try {
    row = parseJson(text.toString('utf8'), text)
  } catch {
    return undefined
  }
  if (!isObject(row) || Object.hasOwn(row, 'keys')) return undefined
  const candidates = ['id', '_id', 'uuid', 'key', `${table}_id`, `${table.replace(/s$/, '')}_id`]
  return candidates.find((name) => keyFaults({ ...row, keys: [name] }).length === 0)
}

function refused(file: string, line: number, reasons: readonly string[], key: string | undefined): ConnectorError {
  const keysMember = `"keys":["${key ?? 'id'}"],`
  const remedy =
    key === undefined
      ? ''
      : ` If "${key}" tells these rows apart, sed 's/{/{${keysMember}/' FILE > NEW writes them as data points.`
  return new ConnectorError(
    'config',
    NO_CODE,
    `The file ${file} cannot be loaded, line ${line} is refused: ${reasons.join('; ')}. Each line must be a data point, an object with keys, such as {${keysMember}"${key ?? 'id'}":1}.${remedy}`,
  )
}
