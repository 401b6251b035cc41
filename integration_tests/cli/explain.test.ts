// `explain`: every code, as it is printed.

import { expect, it, test } from 'vitest'
import { runCommand } from '../../src/cli.ts'
import { CODES } from '../../src/core/codes.ts'
import { Said, ioOf, NO_INPUT } from '../../src/process/testing/said.ts'

async function explained(...args: string[]) {
  const [out, err] = [new Said(), new Said()]
  const code = await runCommand({ ...ioOf(NO_INPUT, out, err), argv: ['explain', ...args] })
  return { code, out: await out.text(), err: await err.text() }
}

it.each(Object.entries(CODES))(
  'says of %s what it means, why it comes, what to do and where more stands',
  async (code, means) => {
    const { out, err, ...ended } = await explained(code)
    expect([ended.code, err]).toEqual([0, ''])
    const flat = out.replaceAll(/\s+/g, ' ')
    expect(flat.startsWith(`${code}: ${means}. `)).toBe(true)
    expect(flat).toMatch(/ Why: \S.* What to do: \S.* More: docs\/troubleshooting\.md#[a-z.-]+ $/)
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100)
  },
)

test('a code is taken as it stands in messages, and a misspelt one is asked about', async () => {
  const { out } = await explained('--code', 'service.key-refused')
  expect((await explained('[service.key-refused]')).out).toBe(out)
  expect(out.split('\n\n')[1]).toMatch(/^"answered 401 .*"\n {2}Why: .*\n {2}What to do: /)
  expect((await explained('reject.first')).out).toBe(
    'reject.first: The first record of a stream or topic that is kept as rejected.\n\nMore: docs/troubleshooting.md#events\n',
  )
  expect(await explained('service.key-refusd')).toEqual({
    code: 2,
    out: '',
    err: 'explain: There is no code "service.key-refusd". Did you mean "service.key-refused"? See explain --help.\n',
  })
  const { err } = await explained('a-code-of-none')
  expect(err).toBe(
    'explain: There is no code "a-code-of-none". docs/troubleshooting.md#codes lists them, and the events. See explain --help.\n',
  )
  for (const name of ['constructor', '', 'x'.repeat(500)]) expect((await explained('--code', name)).code).toBe(2)
})
