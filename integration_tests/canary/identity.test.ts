// What a login with an identity is made of is seen nowhere: the client's secret, what vouches for it, and the tokens, in whatever a token
// server, a broker or a registry tells of them.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { inAllForms } from './forms.ts'
import type { Running } from './process.ts'
import { DEBUG, KEY, ownTroubles, PASSWORD, unseen } from './run.ts'
import { startTellingTokenServer, TOKEN, TOKEN_TROUBLES, type TellingTokenServer } from './telling-token-server.ts'
import { workFolder, type WorkFolder } from '../connector.ts'
import { until } from '../kafka/until.ts'
import { FakeBroker } from '../kafka/fake-broker.ts'

const NOWHERE = '127.0.0.1:1'

const troubles = ownTroubles()
let tokens: TellingTokenServer
beforeAll(async () => {
  tokens = await startTellingTokenServer()
  return () => tokens[Symbol.asyncDispose]()
})

interface Login {
  readonly oauth: object
  readonly broker?: string
  readonly registry?: object | undefined
}

/** Files of a `stream` whose login is that, and where its secrets are given. */
async function prepared(work: WorkFolder, { oauth, broker = NOWHERE, registry }: Login): Promise<Running> {
  await work.file('secret', PASSWORD)
  await work.file('api-key', KEY)
  await work.file('config.json', {
    import_url: troubles.url('none'),
    client_id: 7,
    api_key: { file: 'api-key' },
    kafka: {
      brokers: [broker],
      group: 'g',
      sasl: { mechanism: 'oauthbearer', oauth: { client_id: 'me', ...oauth } },
    },
    schema_registry: registry,
    topics: [{ topic: 'topic-0', keys: ['id'], ...(registry && { value_encoding: 'registry' }) }],
    health: { host: '127.0.0.1', port: 0 },
  })
  return { args: ['stream', '--config', 'config.json'], given: ['file secret', 'file api-key'] }
}

const FILE = { file: 'secret' }
const IN_HEADER = { client_secret: FILE }
const SOME = ['400', '400 in plain text', '401 in words', 'no HTTP']
/** How a client proves itself. */
const PROOFS: readonly (readonly [name: string, oauth: object, troubles: readonly string[]])[] = [
  ['a secret in a header', IN_HEADER, TOKEN_TROUBLES],
  ['a secret in a form', { client_secret: FILE, client_auth: 'post' }, SOME],
  ['an assertion', { assertion: FILE }, SOME],
]

describe.each(PROOFS)('%s', (_, proof, some) => {
  test.concurrent.each(some)('the token server: %s', async (trouble) => {
    await using work = await workFolder()
    const running = await prepared(work, { oauth: { ...proof, token_url: tokens.url(trouble) } })
    const args = [...running.args, '--check']
    const { code, stdout, stderr } = await unseen(work, { debug: DEBUG }, [PASSWORD, KEY], { ...running, args })
    expect(code, stdout).toBe(1)
    expect(stdout).toMatch(/token/)
    expect(stderr).toMatch(/sending request to POST/)
  })
})

test.concurrent('a run that is refused by it leaves nothing in its log, report and summary', async () => {
  await using work = await workFolder()
  const running = await prepared(work, { oauth: { ...IN_HEADER, token_url: tokens.url('401 in words') } })
  const args = [...running.args, '--report', 'report.html', '--summary', 'summary.json']
  const { code, stdout } = await unseen(work, { debug: DEBUG }, [PASSWORD, KEY], { ...running, args })
  expect(code).toBe(1)
  expect(stdout).toMatch(/identity\.refused/)
  expect(await readFile(join(work.path, 'summary.json'), 'utf8')).toMatch(/invalid_client/)
})

/** A broker that tells the token it was sent, and a `stream` that takes its tokens from a server. */
async function telling(work: WorkFolder, registry?: object) {
  const broker = await FakeBroker.start((fetch, it) => it.wait(fetch))
  const tokenIn = (told: string): string => /Bearer ([!-~]*)/.exec(told)?.[1] ?? ''
  broker.refusal = (told) => `no, ${tokenIn(told)} ${inAllForms(tokenIn(told))}`
  const oauth = { ...IN_HEADER, token_url: tokens.url() }
  const running = await prepared(work, { oauth, broker: broker.bootstrap, registry })
  return Object.assign(broker, { running })
}

const SECRETS = [TOKEN, PASSWORD, KEY]

test.concurrent('--check, where a broker tells the token', async () => {
  await using work = await workFolder()
  await using broker = await telling(work)
  const args = [...broker.running.args, '--check']
  const { code, stdout } = await unseen(work, { debug: DEBUG }, SECRETS, { ...broker.running, args })
  expect(code, stdout).toBe(1)
  expect(stdout).toMatch(/refused the login: .*\*{6}/)
  expect(broker.logins).toContain(TOKEN)
})

test.concurrent.each(['401', '401 in words', '400 in plain text', 'a page', '500', '302 to a host of that name'])(
  '--check, where a registry tells the token: %s',
  async (trouble) => {
    await using work = await workFolder()
    await using broker = await telling(work, { url: tokens.url(trouble), oauth: 'kafka' })
    const args = [...broker.running.args, '--check']
    const { code, stdout } = await unseen(work, { debug: DEBUG }, SECRETS, { ...broker.running, args })
    expect(code, stdout).toBe(1)
    expect(stdout).toMatch(/registry/)
  },
)

test.concurrent('a run with renewed tokens: its log, report, summary, metrics and answers', async () => {
  await using work = await workFolder()
  await using broker = await telling(work)
  const { refusal } = broker
  broker.refusal = () => undefined
  const args = [...broker.running.args, '--report', 'report.html', '--summary', 'summary.json']
  const tokensSent = (): number => new Set(broker.logins.match(/Bearer [!-~]*/g)).size
  const act = async (output: string): Promise<void> => {
    const url = `http://127.0.0.1:${/Health is served on port (\d+)/.exec(output)![1]}`
    broker.refusal = refusal
    broker.cut()
    let answers = ''
    await until(
      async () => {
        for (const path of ['metrics', 'readyz', 'healthz']) answers += await (await fetch(`${url}/${path}`)).text()
        return tokensSent() > 5
      },
      () => `it logged in with ${tokensSent()} tokens`,
    )
    await work.file('answers', answers)
  }
  const endAfter = { output: /Health is served on port[^]*Joined the group/, act }
  const { seen } = await unseen(work, { debug: DEBUG }, SECRETS, { ...broker.running, args, endAfter })
  expect(seen.get('stdout')!.toString()).toMatch(/\*{6}/)
  expect(seen.get('file answers')?.toString()).toMatch(/token/)
  expect([...seen.keys()]).toEqual(expect.arrayContaining(['file summary.json', 'file report.html']))
})
