import { expect, test } from 'vitest'
import { isWanted, wantedBy } from './log.ts'

test('LOG_LEVEL is understood in every case and many words; what is not, hides nothing and is said', () => {
  const words = ['trace', 'DEBUG', 'Info', 'WARN', ' warning ', 'error', 'Fatal', 'CRITICAL']
  expect(words.map((word) => wantedBy(word).least).join()).toBe('debug,debug,info,warn,warn,error,error,error')
  for (const word of words) expect(wantedBy(word).problem).toBeUndefined()
  for (const text of [undefined, '', '  ']) expect(wantedBy(text)).toEqual({ least: 'info', problem: undefined })
  for (const text of ['30', 'constructor', '__proto__', 'warn,info'])
    expect(wantedBy(text)).toEqual({
      least: 'info',
      problem: 'LOG_LEVEL is none of debug, info, warn, error: info is taken.',
    })
})

test('what is as grave as asked for, or graver, is wanted', () => {
  expect([isWanted('info', 'info'), isWanted('info', 'warn'), isWanted('error', 'warn')]).toEqual([true, false, true])
  expect([isWanted('debug', 'info'), isWanted('debug', 'debug')]).toEqual([false, true])
})
