// Words for a line that is not JSON: where, never what. Hints at what writers of JSON most often get wrong.

import { ConnectorError } from '../core/errors.ts'
import type { Lines } from '../json/split-lines.ts'

const NOT_A_NUMBER = /^-?(?:NaN|Infinity)/

/** @param failedAt where the scanner gave up */
export function notJson(lines: Lines, line: number, from: number, to: number, failedAt: number): ConnectorError {
  return new ConnectorError(
    'system',
    `Input line ${line} is not JSON: it breaks at byte ${failedAt - from + 1} of ${to - from}${hint(lines, line, to, failedAt)}.`,
  )
}

export function invalidUtf8(line: number): ConnectorError {
  return new ConnectorError('system', `Input line ${line} is not valid UTF-8. The source must write UTF-8.`)
}

function hint(lines: Lines, line: number, to: number, failedAt: number): string {
  const isLast = line === lines.firstLine + lines.count - 1
  if (lines.unterminated && isLast && failedAt >= to) return ', and the input ends there: its writer was cut off'
  const around = lines.bytes.toString('latin1', Math.max(0, failedAt - 1), Math.min(to, failedAt + 10))
  const word = NOT_A_NUMBER.exec(around) ?? NOT_A_NUMBER.exec(around.slice(1))
  return word ? `, at ${word[0]}: JSON has no such number, the source must send null or a text` : ''
}
