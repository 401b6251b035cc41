// Whether the search finds a key that is there.

import { expect, test } from 'vitest'
import { FORMS, inAllForms } from './forms.ts'
import { leaks, watch } from './process.ts'
import { KEY, LINES, PASSWORD } from './run.ts'
import { findKey } from './search.ts'
import { workFolder } from '../connector.ts'

test.each(Object.keys(FORMS))('finds %s', (form) => {
  for (const key of [KEY, LINES, PASSWORD]) {
    const planted = FORMS[form]!(key)
    expect(findKey(Buffer.from(`before ${planted} after\n`), key)).not.toEqual([])
    expect(findKey(Buffer.from(`{"message":${JSON.stringify(planted)}}`), key)).not.toEqual([])
  }
})

test('finds half of it, in a large text too', () => {
  expect(findKey(Buffer.from(`apikey=${encodeURIComponent(KEY.slice(0, 5))}`), KEY)).not.toEqual([])
  expect(findKey(Buffer.from(`${'x'.repeat(2_000_000)}${encodeURIComponent(KEY)}`), KEY)).not.toEqual([])
})

test('finds nothing where there is nothing', () => {
  const text = JSON.stringify({ path: '/v2/client/7?apikey=******', text: inAllForms('another key') })
  expect(findKey(Buffer.from(text), KEY)).toEqual([])
})

test('looks at files, at streams and at the process list', async () => {
  await using work = await workFolder()
  await work.file('a.txt', KEY)
  const watched = await watch(work, { args: ['check', KEY], env: { OTHER: KEY } })
  const where = (await leaks(watched, [KEY])).map((leak) => / in (.*?):/.exec(leak)![1]!)
  expect(new Set(where)).toEqual(new Set(['file a.txt', 'process cmdline', 'process environ']))
})
