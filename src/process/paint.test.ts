import { expect, it } from 'vitest'
import { codedText, paintFor, unpainted } from './paint.ts'

it('is green, amber and red at a terminal', () => {
  const paint = paintFor({ env: { NO_COLOR: '' } }, true)
  expect([paint('good', 'ok'), paint('odd', 'warn'), paint('bad', 'FAIL'), paint('dim', '[a.b]')]).toEqual([
    '\u001b[32mok\u001b[39m',
    '\u001b[33mwarn\u001b[39m',
    '\u001b[31mFAIL\u001b[39m',
    '\u001b[2m[a.b]\u001b[22m',
  ])
})

it.each([
  ['there is no terminal', { env: {} }, false],
  ['nobody wants it', { env: { NO_COLOR: '1' } }, true],
  ['the terminal has none', { env: {}, isDumb: true }, true],
] as const)('is none where %s', (_why, io, isTerminal) => {
  expect(paintFor(io, isTerminal)('bad', 'FAIL')).toBe('FAIL')
})

it('keeps the lines of a text that is wrapped with its code, and dims that', () => {
  const text = 'The config cannot be used:\n  `topics` is required\r\nand more words'
  const lines = ['The config', '    cannot be', '    used:', '      `topics`', '    is required', '    and more']
  const wrapped = (code?: string): string[] => codedText(text, code, 15, '    ', unpainted).split('\n')
  expect(wrapped()).toEqual([...lines, '    words'])
  expect(wrapped('a.b')).toEqual([...lines, '    words [a.b]'])
  expect(codedText('Bad.', 'a.b', 80, '', paintFor({ env: {} }, true))).toBe('Bad. \u001b[2m[a.b]\u001b[22m')
})
