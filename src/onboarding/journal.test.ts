import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

import { lock } from '../local-service/sqlite-lock.ts'
import { openJournal } from './journal.ts'
import type { Journal } from './journal.ts'
import { NOTHING_KNOWN } from './journal-entries.ts'

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'))
  path = join(folder, 'a.journal')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function open(file = path): Journal {
  return openJournal(file, {
    lock,
    wallClock: () => Date.UTC(2026, 10, 21, 20),
    scrub: (text) => text.replaceAll('hidden', '******'),
  })
}

function fill(journal: Journal): void {
  journal.append({ event: 'onboarding', version: 1, base_url: 'https://a.example.com' })
  journal.append({ event: 'intent', endpoint: 'A2', of: { 'client.company': 'Acmé' } })
  journal.append({ event: 'unknown', endpoint: 'A2', why: 'the hidden thing' })
  journal.append({ event: 'adopted', endpoint: 'A2', id: 12, of: {} })
  journal.append({ event: 'intent', endpoint: 'A4', of: {} })
  journal.append({ event: 'answered', endpoint: 'A4', id: 5, user_id: 6 })
  journal.append({ event: 'failed', endpoint: 'A8', word: 'hidden' })
}

it('is read as it was written, without secrets, by its owner only', () => {
  let known
  {
    using journal = open()
    fill(journal)
    ;({ known } = journal)
  }
  using again = open()
  expect(again.known).toEqual(known)
  expect(again.known).toMatchObject({ clientId: 12, userId: 6, made: { A4: { state: 'done' }, A8: { why: '******' } } })
  expect(readFileSync(path, 'utf8')).not.toContain('hidden')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('loses no whole line and no more than the last half one, wherever it was cut off', () => {
  {
    using journal = open()
    fill(journal)
  }
  const whole = readFileSync(path)
  const lineEnds = (bytes: Buffer): number => bytes.filter((byte) => byte === 0x0a).length
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length))
    {
      using journal = open()
      expect(lineEnds(readFileSync(path))).toBe(lineEnds(whole.subarray(0, length)))
      if (length === 0) journal.append({ event: 'onboarding', version: 1, base_url: 'x' })
    }
    open()[Symbol.dispose]()
  }
})

it('goes on behind a line that was cut off', () => {
  {
    using journal = open()
    fill(journal)
  }
  appendFileSync(path, '{"event":"answered","endpoint":"A10","id":"half')
  {
    using journal = open()
    expect(journal.known.made.A10.state).toBe('none')
    journal.append({ event: 'updated', digest: 'd' })
  }
  using journal = open()
  expect(journal.known.updated).toBe('d')
})

it.each(['my notes', '{"other":1}\n', '{"event":"onboarding","version":1}x\n', '\u0000\u0000', '\n'])(
  'leaves another file as it is: %j',
  (text) => {
    writeFileSync(path, text)
    expect(() => open()).toThrow(/^The journal ".*" cannot be used: /)
    expect(readFileSync(path, 'utf8')).toBe(text)
    // and nobody is kept out by it
    writeFileSync(path, '')
    open()[Symbol.dispose]()
  },
)

it('refuses what a later version wrote, and says in which line', () => {
  {
    using journal = open()
    fill(journal)
  }
  appendFileSync(path, '{"event":"new","at":"x"}\n')
  expect(() => open()).toThrow('its line 8 is damaged, or of another version')
})

it('is held by one at a time, by whatever name, and given back', () => {
  const first = open()
  symlinkSync(path, join(folder, 'link'))
  expect(() => open(join(folder, 'link'))).toThrow('another onboard is using it')
  first[Symbol.dispose]()
  open(join(folder, 'link'))[Symbol.dispose]()
})

it('starts with nothing known', () => {
  using journal = open()
  expect(journal.known).toEqual(NOTHING_KNOWN)
})

it('cannot be made where there is no folder', () => {
  expect(() => open(join(folder, 'none', 'a'))).toThrow('it cannot be opened or made (ENOENT)')
})
