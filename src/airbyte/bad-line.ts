// The errors for lines that stop the run. Their words say where and what kind of fault, never the content, and hint at what writers
// of JSON most often get wrong.

import { jsonHint } from '../config/json-text.ts'
import { ConnectorError } from '../core/errors.ts'
import { BRACE } from '../json/bytes.ts'
import type { Lines } from '../json/split-lines.ts'
import { whereBroken, wrongNumberAt } from '../json/json-faults.ts'
import { JsonPieces } from '../json/completeness.ts'
import type { LineFault } from './envelope.ts'

/** Most characters of a name that are shown. */
const LONGEST_SHOWN = 200
/** Bytes on each side of a fault that are looked at for a hint. */
const LOOKED_AT = 100
const ONLY_MESSAGES =
  'Standard input takes Airbyte messages, one JSON object per line; other output of a source belongs on its standard error.'
const A_RECORD = 'A record is {"type":"RECORD","record":{"stream":…,"data":{…},"emitted_at":…}}'

/** The words about a line, behind "Input line 4 ", with a full stop to follow. */
const WORDS: Readonly<Record<Exclude<LineFault, 'blank' | 'not JSON'>, string>> = {
  'no object': `is not an Airbyte message: it is not a JSON object. ${ONLY_MESSAGES.slice(0, -1)}`,
  'no type': `is not an Airbyte message: it has no string "type". ${A_RECORD}`,
  'no record': `is a RECORD without a "record" object. ${A_RECORD}`,
  'no stream': `is a RECORD without a string "stream". ${A_RECORD}`,
  'no data': `is a RECORD without a "data" object. ${A_RECORD}`,
  namespace: 'is a RECORD whose "namespace" is neither a string nor null. Correct the source',
}

// What is said behind "Input line 4 is not JSON: it stops after 9 bytes", with a full stop to follow.
const CUT_OFF = ', and so does the input: its writer was cut off. Run the source again'
const LOOKS_LIKE_CSV = `, but looks like CSV. Make a message of each of its rows. ${A_RECORD}`
/** A line of names of columns, such as `id,name`. Unlike a sentence, it has no blank behind a separator. */
const CSV_HEAD = /^"?[\p{L}\d_][^,;\t{}[\]:"]*"?(?:[,;\t]"?[\p{L}\d_][^,;\t{}[\]:"]*"?)+\r?$/u
const LONGEST_CSV_HEAD = 4096

/** The input ends in the midst of a line. */
export class InputCutOff extends ConnectorError {}

/** Makes the error for the line bytes[from, to) of `lines`, which is no message.
 *  @param failedAt where the scanner gave up, for a line that is not JSON
 *  @returns an InputCutOff if the line only lacks its end */
export function badLine(
  fault: Exclude<LineFault, 'blank'>,
  lines: Lines,
  line: number,
  from: number,
  to: number,
  failedAt: number,
): ConnectorError {
  if (fault !== 'not JSON')
    return new ConnectorError('system', 'input.unreadable-line', `Input line ${line} ${WORDS[fault]}.`)
  const isCutOff =
    isUnended(lines, line) && new JsonPieces().add(lines.bytes.subarray(from, to)).verdict === 'unfinished'
  // of a line cut off in a word (`tru` for true) the scanner tells where the word begins, but its end is the place
  const place = whereBroken((isCutOff ? to : failedAt) - from, to - from)
  const why = isCutOff ? CUT_OFF : isCsv(lines, line, from, to) ? LOOKS_LIKE_CSV : hint(lines, from, to, failedAt)
  const advice = why === '' ? ` ${ONLY_MESSAGES}` : ''
  return unreadable(isCutOff, `Input line ${line} is not JSON: ${place}${why}.${advice}`)
}

/** Makes the error for a line that is not UTF-8.
 *  @param from where the line begins
 *  @returns an InputCutOff if the input ends in the line */
export function invalidUtf8(lines: Lines, line: number, from: number): ConnectorError {
  return unreadable(isUnended(lines, line), `Input line ${line} is not valid UTF-8${whatInstead(lines, line, from)}`)
}

function unreadable(isCutOff: boolean, message: string): ConnectorError {
  return isCutOff
    ? new InputCutOff('system', 'input.cut-off', message)
    : new ConnectorError('system', 'input.unreadable-line', message)
}

/** Says what a line is instead, by its first bytes: what shells write, and what is still packed. */
function whatInstead(lines: Lines, line: number, from: number): string {
  const head = line === 1 ? lines.bytes.toString('latin1', from, from + 4) : ''
  if (head.startsWith('\u00ff\u00fe') || head.startsWith('\u00fe\u00ff'))
    return ', but UTF-16. Write it as UTF-8: some shells redirect in another encoding.'
  if (head.startsWith('\u001f\u008b')) return ', but compressed with gzip. Decompress it first, as gunzip -c does.'
  if (head.startsWith('\u0028\u00b5\u002f\u00fd'))
    return ', but compressed with zstd. Decompress it first, as zstd -dc does.'
  if (isUnended(lines, line)) return '. The input ends in this line: was its writer cut off? Then run the source again.'
  return '. The source must write UTF-8.'
}

export function lineTooLong(line: number, limit: number): ConnectorError {
  const message = `Input line ${line} is longer than ${limit} bytes: more than this connector accepts (64 MiB, or 4 times max_request_bytes if that is more). Leave its stream out, or let the source send less in a record.`
  return new ConnectorError('system', 'input.line-too-long', message)
}

/** Makes the error for a record whose stream the catalog does not name.
 *  @param near a stream of the catalog that was perhaps meant
 *  @param isElsewhere whether the catalog has a stream of that name with a namespace, where the record has none, or without one, where
 *  it has one */
export function unknownStream(
  line: number,
  namespace: string | undefined,
  name: string,
  isElsewhere = false,
  near?: string,
): ConnectorError {
  const within = namespace === undefined ? ' without a namespace' : ` of namespace ${shown(namespace)}`
  const other = isElsewhere ? ` (it has one ${namespace === undefined ? 'in' : 'without'} a namespace)` : ''
  const meant = near === undefined ? '' : ` Did you mean ${shown(near)}?`
  const what = `Input line ${line} holds a record of stream ${shown(name)}${within}, which the catalog does not name${other}.${meant}`
  const isShort = name.length <= LONGEST_SHOWN && (namespace ?? '').length <= LONGEST_SHOWN
  const message = `${what} Name and namespace must be those of the catalog. Add the stream to the catalog, or leave it out at the source.`
  return new ConnectorError('config', 'input.unknown-stream', message, isShort ? { track: { name, namespace } } : {})
}

function shown(name: string): string {
  return JSON.stringify(name.length <= LONGEST_SHOWN ? name : `${name.slice(0, LONGEST_SHOWN)}…`)
}

/** Whether the input ends in this line, without a line end. */
function isUnended(lines: Lines, line: number): boolean {
  return lines.unterminated && line === lines.firstLine + lines.count - 1
}

/** Words for the mistake that most often leads to such a line, to stand where CUT_OFF does. '' when ONLY_MESSAGES says all there is. */
function hint(lines: Lines, from: number, to: number, failedAt: number): string {
  if (failedAt >= to) return '. A message is one line: its writer must put no line breaks into it'
  if (lines.bytes[failedAt] === BRACE && isJson(lines.bytes.subarray(from, failedAt)))
    return ', where another message begins: each needs a line of its own'
  const word = wrongNumberAt(lines.bytes, from, failedAt)
  if (word !== undefined) return `, at ${word}: JSON has no such number, the source must send null or a string`
  // a line that fails at its first byte is no message of any kind
  if (failedAt === from) return ''
  const textBefore = lines.bytes.toString('utf8', Math.max(from, failedAt - LOOKED_AT), failedAt)
  const textBehind = lines.bytes.toString('utf8', failedAt, Math.min(to, failedAt + LOOKED_AT))
  const known = jsonHint(textBefore + textBehind, textBefore.length)
  return known === '' ? '' : `: ${known}`
}

function isCsv({ bytes }: Lines, line: number, from: number, to: number): boolean {
  return line === 1 && to - from <= LONGEST_CSV_HEAD && CSV_HEAD.test(bytes.toString('utf8', from, to))
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString())
    return true
  } catch {
    return false
  }
}
