// Words for a line that stops the run: where and what kind of fault, never the content. Hints at what writers of JSON
// most often get wrong.

import { ConnectorError } from '../core/errors.ts'
import type { Lines } from '../json/split-lines.ts'
import type { LineFault } from './envelope.ts'

const NOT_A_NUMBER = /^-?(?:NaN|Infinity)/
const SHOWN_NAME = 200

const WORDS: Readonly<Record<Exclude<LineFault, 'blank' | 'not JSON'>, string>> = {
  'no object': 'is not a message: it is no JSON object',
  'no type': 'is not a message: it has no "type" that is a text',
  'no record': 'is a RECORD without a "record" object',
  'no stream': 'is a RECORD without a "stream" that is a text',
  'no data': 'is a RECORD without a "data" object',
  namespace: 'is a RECORD whose "namespace" is neither a text nor null',
}

/** @param failedAt where the scanner gave up, for a line that is not JSON */
export function badLine(
  fault: Exclude<LineFault, 'blank'>,
  lines: Lines,
  line: number,
  from: number,
  to: number,
  failedAt: number,
): ConnectorError {
  if (fault !== 'not JSON') return new ConnectorError('system', `Input line ${line} ${WORDS[fault]}.`)
  const length = to - from
  const place =
    failedAt < to ? `it breaks at byte ${failedAt - from + 1} of ${length}` : `it stops after ${length} bytes`
  return new ConnectorError('system', `Input line ${line} is not JSON: ${place}${hint(lines, line, to, failedAt)}.`)
}

export function invalidUtf8(lines: Lines, line: number): ConnectorError {
  const remedy = wasCutOff(lines, line)
    ? 'The input ends in this line: was its writer cut off?'
    : 'The source must write UTF-8.'
  return new ConnectorError('system', `Input line ${line} is not valid UTF-8. ${remedy}`)
}

export function lineTooLong(line: number, limit: number, cause: unknown): ConnectorError {
  return new ConnectorError(
    'system',
    `Input line ${line} is longer than ${limit} bytes: more than this connector takes.`,
    {
      cause,
    },
  )
}

/** @param namespace undefined: none */
export function unknownStream(line: number, namespace: string | undefined, name: string): ConnectorError {
  const within = namespace === undefined ? ' without a namespace' : ` of namespace ${shown(namespace)}`
  const what = `Input line ${line} holds a record of stream ${shown(name)}${within}, which the catalog does not name.`
  const short = name.length <= SHOWN_NAME && (namespace ?? '').length <= SHOWN_NAME
  const message = `${what} Name and namespace must be those of the catalog. Add the stream to the catalog, or leave it out at the source.`
  return new ConnectorError('config', message, short ? { track: { name, namespace } } : {})
}

function shown(name: string): string {
  return JSON.stringify(name.length <= SHOWN_NAME ? name : `${name.slice(0, SHOWN_NAME)}…`)
}

function wasCutOff(lines: Lines, line: number): boolean {
  return lines.unterminated && line === lines.firstLine + lines.count - 1
}

function hint(lines: Lines, line: number, to: number, failedAt: number): string {
  if (wasCutOff(lines, line) && failedAt >= to) return ', and so does the input: its writer was cut off'
  const around = lines.bytes.toString('latin1', Math.max(0, failedAt - 1), Math.min(to, failedAt + 10))
  const word = NOT_A_NUMBER.exec(around) ?? NOT_A_NUMBER.exec(around.slice(1))
  return word ? `, at ${word[0]}: JSON has no such number, the source must send null or a text` : ''
}
