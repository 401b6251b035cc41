// Nobody ever sees the key: every failure of a service and of the way to it, with the debug output of every library, seen
// from outside.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inAllForms } from './forms.ts'
import { leaks, watch } from './process.ts'
import { BOTH, DEBUG, eachOf, KEY, LINES, ownTroubles, PASSWORD, played, prepared, unseen } from './run.ts'
import { TROUBLES } from './troubles.ts'
import { workFolder } from '../connector.ts'
import { record, state } from '../write/driver.ts'
import { NODE_26, needNode26 } from '../tools/test-parts/need-node26.ts'

const troubles = ownTroubles()

interface Round {
  readonly name: string
  readonly key: string
  readonly node?: string
  readonly debug?: string
  readonly troubles: readonly string[]
}

/** Debug output comes beside all other output, and changes none of it. */
const ROUNDS: readonly Round[] = [
  { name: 'debug output', key: KEY, debug: DEBUG, troubles: Object.keys(TROUBLES) },
  { name: 'a key of several lines', key: LINES, troubles: ['400', '400 that is cut', 'a page'] },
  { name: 'debug output of Node 26', key: LINES, debug: DEBUG, node: NODE_26, troubles: ['400', '301', 'reset'] },
]

describe.each(ROUNDS)('$name', (round) => {
  const { key, debug } = round

  test.concurrent.for(round.troubles)('the service: %s', async (trouble, context) => {
    needNode26(context, round.node ?? process.execPath)
    await eachOf(BOTH, async (command) => {
      await using work = await workFolder()
      const { url, asked } = troubles.waiting(trouble)
      const more = trouble === 'silence' ? { request_timeout_seconds: 0.3 } : {}
      const running = await prepared(work, command, { key, config: { import_url: url, ...more } })
      const endAt = trouble === 'silence' && command === 'check' ? asked : new Promise(() => {})
      const { code, stdout, stderr } = await unseen(work, round, [key], { ...running, endAt })
      expect(stdout).toMatch(command === 'check' ? /"CONNECTION_STATUS"/ : /"LOG"/)
      expect(code).toBe(command === 'write' && trouble !== 'none' ? 1 : 0)
      // the library did tell: each line of the key is masked by itself
      if (debug !== undefined) expect(stderr).toMatch(/sending request to \w+ .*\?apikey=(?:\*{6}(?:%0A)?)+\n/)
    })
  })
})

test.concurrent.each<[string, () => object, RegExp]>([
  ['nobody there', () => ({ import_url: troubles.nowhere }), /refused the connection/],
  ['TLS that nobody trusts', () => ({ import_url: troubles.tls }), /SELF_SIGNED/],
  ['no TLS', () => ({ import_url: troubles.url('401').replace('http:', 'https:') }), /ERR_SSL/],
])('the connection: %s', async (_, config, words) => {
  await eachOf(BOTH, async (command) => {
    expect((await played(command, { debug: DEBUG, config: config() })).stdout).toMatch(words)
  })
})

test.concurrent.each<[string, string, string, RegExp]>([
  ['refuses', 'closed.example', encodeURIComponent(PASSWORD), /did not accept the user name/],
  ['lets through to a failure', 'open.example', encodeURIComponent(PASSWORD), /answered 401/],
  ['is no address', 'open.example', PASSWORD, /http_proxy is not an address/],
])('a proxy that %s', async (_, host, password, words) => {
  await eachOf(BOTH, async (command) => {
    await using work = await workFolder()
    const config = { import_url: `http://${host}/401/x`, allow_insecure_http: true }
    const running = await prepared(work, command, { key: KEY, config })
    const env = { http_proxy: `http://ada:${password}@${troubles.proxy}` }
    const given = ['process environ']
    const { stdout } = await unseen(work, { debug: DEBUG }, [KEY, PASSWORD], { ...running, env, given })
    expect(stdout).toMatch(words)
  })
})

test.concurrent('write, keeping what is rejected in a file', async () => {
  await using work = await workFolder()
  const rejects = { on_rejected: 'divert', rejected_file: 'rejected.jsonl', log_keys: true }
  const running = await prepared(work, 'write', { key: KEY, config: { import_url: troubles.url('400'), ...rejects } })
  const { stdout } = await unseen(work, { debug: DEBUG }, [KEY], { ...running, input: record('{"id":1}') })
  expect(stdout).toMatch(/1 rejected/)
  const kept = await readFile(join(work.path, 'rejected.jsonl'), 'utf8')
  expect(kept).toContain('"rejection"')
  expect(kept).toContain('******')
})

test.concurrent('write: a state is the source’s own and stays as it is', async () => {
  await using work = await workFolder()
  const own = state(JSON.stringify({ [KEY]: inAllForms(KEY) }))
  const running = await prepared(work, 'write', { key: KEY, config: { import_url: troubles.url('none') } })
  const input = `${record('{"id":1}')}\n${own}\n`
  const watched = await watch(work, { ...running, input, given: ['file config.json'] })
  const stats = '"destinationStats":{"recordCount":1.0,"rejectedRecordCount":0.0}'
  const printed = own.replace(/\}\}$/, `,${stats}}}`)
  expect(watched.stdout.split('\n')).toContain(printed)
  const others = Buffer.from(watched.stdout.replace(printed, ''))
  expect(await leaks({ ...watched, seen: new Map([...watched.seen, ['stdout', others]]) }, [KEY])).toEqual([])
})

test.concurrent.for([
  ['check', process.execPath],
  ['write', NODE_26],
] as const)('%s with all debug output there is, on %s', async ([command, node], context) => {
  needNode26(context, node)
  await using work = await workFolder()
  const running = await prepared(work, command, { key: KEY, config: { import_url: troubles.url('400') } })
  const { stderr } = await unseen(work, { debug: '*', node }, [KEY], running)
  expect(stderr).toMatch(/apikey=\*{6}\n/)
})
