import {
  appendFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { disguised } from './journal-entries.ts'
import { openJournal, type Journal, type JournalParts } from './journal.ts'
import { ownFolder } from '../process/testing/own-folder.ts'

const folder = ownFolder('test')
let path = ''

beforeEach(() => {
  path = join(folder, 'a.journal')
})

const parts: JournalParts = {
  wallClock: () => Date.UTC(2026, 10, 21, 20),
  scrub: (text) => text.replaceAll('hidden', '******'),
}

function open(file = path): Journal {
  return openJournal(file, parts)
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

it('holds no value that is a secret too, and recognises it all the same', () => {
  {
    using journal = open()
    journal.append({ event: 'onboarding', version: 1, base_url: 'https://hidden.example.com' })
    journal.append({ event: 'intent', endpoint: 'A6', of: { 'connection.name': 'my hidden store', other: 'plain' } })
  }
  expect(readFileSync(path, 'utf8')).not.toContain('hidden')
  using journal = open()
  expect(journal.known.baseUrl).toBe(disguised('https://hidden.example.com'))
  expect(journal.known.baseUrl).not.toBe(disguised('https://hidden.example.org'))
  expect(journal.known.baseUrl).toMatch(/^sha256:[0-9a-f]{16}$/)
  expect(journal.known.made.A6.of).toEqual({ 'connection.name': disguised('my hidden store'), other: 'plain' })
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
      // a line that lacks its break alone is whole
      expect(lineEnds(readFileSync(path))).toBe(
        lineEnds(whole.subarray(0, whole[length] === 0x0a ? length + 1 : length)),
      )
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

it.each(['answered', 'intent'] as const)('counts a last line that lacks its line break alone: %s', (last) => {
  {
    using journal = open()
    journal.append({ event: 'onboarding', version: 1, base_url: 'x' })
    journal.append({ event: 'intent', endpoint: 'A2', of: {} })
    if (last === 'answered') journal.append({ event: 'answered', endpoint: 'A2', id: 'job' })
  }
  const { size } = statSync(path)
  truncateSync(path, size - 1)
  {
    using journal = open()
    expect(journal.known.made.A2.state).toBe(last === 'answered' ? 'answered' : 'sent')
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

describe('is held by one at a time', () => {
  const held = 'another onboard is using it'

  it.each(['a link', 'a link that led nowhere', 'a hard link', 'a link to a folder'])('by %s too', (kind) => {
    const other = join(folder, 'other')
    if (kind === 'a link that led nowhere') symlinkSync('a.journal', other)
    const first = open(kind === 'a link that led nowhere' ? other : path)
    if (kind === 'a link') symlinkSync(path, other)
    if (kind === 'a hard link') linkSync(path, other)
    if (kind === 'a link to a folder') symlinkSync(folder, other)
    const name = kind === 'a link to a folder' ? join(other, 'a.journal') : other
    for (const file of [name, path]) expect(() => open(file)).toThrow(held)
    fill(first)
    first[Symbol.dispose]()
    for (const file of [name, path]) open(file)[Symbol.dispose]()
    expect(readdirSync(folder).filter((file) => file.endsWith('.lock'))).toEqual([])
  })

  it('after it was renamed', () => {
    using _first = open()
    renameSync(path, join(folder, 'b.journal'))
    expect(() => open(join(folder, 'b.journal'))).toThrow(held)
  })
})

describe('while it is held', () => {
  it.each([
    ['moved', () => renameSync(path, join(folder, 'b')), 'moved, removed or replaced'],
    ['removed', () => rmSync(path), 'moved, removed or replaced'],
    ['replaced', () => (renameSync(path, join(folder, 'b')), writeFileSync(path, '')), 'moved, removed or replaced'],
    [
      'written to',
      () => appendFileSync(path, '{"event":"updated","digest":"e","at":"x"}\n'),
      'somebody else has written',
    ],
    ['cut', () => truncateSync(path, 5), 'somebody else has written'],
  ])('nothing is written to it any more once it was %s', (_, change, words) => {
    using journal = open()
    fill(journal)
    change()
    const before = journal.known
    expect(() => journal.append({ event: 'updated', digest: 'd' })).toThrow(words)
    expect(journal.known).toBe(before)
    if (statSync(path, { throwIfNoEntry: false })) expect(readFileSync(path, 'utf8')).not.toContain('"d"')
  })
})

it.each([
  ['/dev/null', 'it is not a regular file'],
  [
    join(tmpdir(), 'no', 'such', 'folder'),
    'it cannot be opened or made (ENOENT). Create its folder first, then run the same command again',
  ],
])('%s is none, and it says what to do', (file, words) => {
  expect(() => open(file)).toThrow(words)
})
