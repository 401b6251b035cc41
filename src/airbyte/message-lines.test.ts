import { expect, test } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import { MessageLines } from './message-lines.ts'

test('a line beyond the limit is a system error with its number, after the lines before it', () => {
  const lines = new MessageLines({ maxLineBytes: 3 })
  const found: number[] = []
  const run = (): void => {
    for (const some of lines.push(Buffer.from('a\nb\nccccc\nd'))) found.push(some.count)
  }
  expect(run).toThrow(ConnectorError)
  expect(found).toEqual([2])
  expect(() => [...new MessageLines({ maxLineBytes: 3 }).push(Buffer.from('abcd'))]).toThrow(
    new ConnectorError(
      'system',
      'Input line 1 is longer than 3 bytes: more than this connector takes (64 MiB, or 4 times max_request_bytes if that is more). Leave its stream out, or let the source send less in a record.',
    ),
  )
})

test('passes lines on', () => {
  const lines = new MessageLines()
  const all = [...lines.push(Buffer.from('a\nb')), ...lines.end()]
  expect(all.map((some) => [some.firstLine, some.count, some.unterminated])).toEqual([
    [1, 1, false],
    [2, 1, true],
  ])
})
