// Nobody ever sees a secret of `onboard`: every secret option and both tokens, told on by a service that repeats all of them
// in everything it says; seen from outside, in output, journal, result and the list of processes.

import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FORMS, inAllForms } from './forms.ts'
import { startCanaryService, type Told } from './onboard-service.ts'
import type { Running, Watched } from './process.ts'
import { LINES, unseen } from './run.ts'
import { workFolder, type WorkFolder } from '../connector.ts'
import { configOf } from '../onboard/driver.ts'
import { NODE_26, needNode26 } from '../tools/test-parts/need-node26.ts'

const { trusted, client } = JSON.parse(
  readFileSync(new URL('../../src/service/http/certificates.test.json', import.meta.url), 'utf8'),
) as Record<'trusted' | 'client', { certificate: string; key: string }>

// hard to hide, and no half of one in another
const TOKEN = 'to/k5+t&=%"\\<b>y7Q'
const REFRESH = 're/fr6öh +f&=%"\\z3W'
const PASSWORD = 'pw/é1+q&=%"\\x9L'
const IN_ENVIRONMENT = { PASSWORD, CLIENT_SECRET: 'cs/ö2+j&=%"\\g4H' }
const TEXTS_IN_FILES = {
  'db.secret': LINES,
  'tunnel.secret': 'tu/nn3ël+u&=%"\\k8P',
  'group.secret': 'gr/öu4p+v&=%"\\m2V',
}
const IN_FILES = { ...TEXTS_IN_FILES, 'key.pem': client.key }
/** What is told in every form there is; the key, which leaves the process in no request, in the forms of texts. */
const SECRETS = [TOKEN, REFRESH, ...Object.values(IN_ENVIRONMENT), ...Object.values(TEXTS_IN_FILES)]
const KEY_FORMS = ['literal', 'in a URL', 'JSON', 'JSON in JSON', 'HTML']
  .map((form) => FORMS[form]!(client.key))
  .join(' ')
/** What is looked for: the first and the last line of a PEM text are everybody's. */
const SEARCHED = [...SECRETS, ...client.key.trim().split('\n').slice(1, -1)]

/** Neither timers nor the first bytes of each piece of an answer, which may begin in the midst of any form. */
const QUIETER = 'undici,fetch,http,http2,https,net,tls,canary'

const GIVEN = [...Object.keys(IN_FILES).map((name) => `file ${name}`), 'file plant.json', 'process environ']
const PLANT = new URL('plant.ts', import.meta.url).pathname

interface Situation extends Told {
  /** Over the config's own members; a text is the whole file. */
  readonly config?: object | string
  readonly args?: readonly string[]
  readonly node?: string
  readonly debug?: string
  readonly env?: Readonly<Record<string, string>>
  readonly running?: Partial<Running>
  /** Before it runs. */
  readonly prepare?: (work: WorkFolder) => Promise<unknown>
}

/** An option that a situation does not give itself. */
function unless(given: readonly string[], option: string, value: string): string[] {
  return given.includes(option) ? [] : [option, value]
}

/** @returns what was seen, the journal's and the result's text */
async function onboarded(situation: Situation): Promise<Watched & { journal: string; result: string }> {
  await using service = await startCanaryService(SECRETS, KEY_FORMS, situation)
  await using work = await workFolder()
  await work.file('config.json', configAt(service.url, situation.config ?? {}))
  for (const [name, content] of Object.entries(IN_FILES)) await work.file(name, `${content}\n`)
  await work.file('client.pem', client.certificate)
  await work.file('ca.pem', trusted.certificate)
  await situation.prepare?.(work)
  const { node, debug = QUIETER, env, running, args = [] } = situation
  const watched = await unseen(work, { debug, ...(node === undefined ? {} : { node }) }, SEARCHED, {
    ...running,
    args: [
      'onboard',
      '--config',
      'config.json',
      ...unless(args, '--journal', 'journal'),
      ...unless(args, '--output', 'result.json'),
      ...args,
    ],
    env: { ...IN_ENVIRONMENT, ...env },
    given: [...GIVEN, ...(running?.given ?? [])],
  })
  const text = (name: string): Promise<string> => readFile(join(work.path, name), 'utf8').catch(() => '')
  return { ...watched, journal: await text('journal'), result: await text('result.json') }
}

function configAt(url: string, more: object | string): object | string {
  if (typeof more === 'string') return more
  const config = configOf(url) as { readonly connection: { readonly properties: object } }
  return {
    ...config,
    connection: {
      ...config.connection,
      credentials: { password: { file: 'db.secret' }, encryption_password: { file: 'tunnel.secret' } },
      properties: { ...config.connection.properties, encryption_groupSecret: { file: 'group.secret' } },
    },
    ca_certificate: { file: 'ca.pem' },
    client_certificate: { file: 'client.pem' },
    client_key: { file: 'key.pem' },
    retry_for_seconds: 0,
    ...more,
  }
}

describe('all goes well', () => {
  test.concurrent.for<[string, Situation]>([
    ['in lines', {}],
    ['in JSON', { args: ['--json'] }],
    ['with all debug output there is', { debug: '*' }],
    ['on Node 26', { node: NODE_26, debug: '*' }],
    ['over TLS, with a certificate', { tls: { cert: trusted.certificate, key: trusted.key, ca: client.certificate } }],
  ])('%s', async ([, situation], context) => {
    needNode26(context, situation.node ?? process.execPath)
    const { code, journal, result, stderr } = await onboarded({
      ...situation,
      config: { retry_for_seconds: 60, request_timeout_seconds: 200 },
    })
    expect(code, stderr).toBe(0)
    expect(journal).toContain('"event":"done","endpoint":"A10"')
    expect(JSON.parse(result)).toMatchObject({ client_id: 9, dashboard_id: 'dash-1' })
    expect(result).not.toContain('pubkey')
  })

  test.concurrent.each([[[]], [['--json']]])('shown only, %j', async (more) => {
    const { code, stdout, journal } = await onboarded({ args: ['--dry-run', ...more] })
    expect(code).toBe(0)
    expect(stdout.match(/\*{6}/g)!.length).toBe(5)
    expect(journal).toBe('')
  })
})

describe('the service', () => {
  const creating = ['A2', 'A4', 'A6', 'A8', 'A10']

  test.concurrent.each(['401', '400', '500', '301', 'a page', 'a status line', 'no HTTP', 'half an answer', 'reset'])(
    'does not log in: %s',
    async (trouble) => {
      const { code, stderr } = await onboarded({ troubles: { A1: trouble } })
      expect(code).toBe(1)
      expect(stderr).toMatch(/^onboard: A1 \(log in\): /m)
    },
  )

  test.concurrent.each(creating.flatMap((at) => ['500', '302 to a host of that name', 'a page'].map((it) => [at, it])))(
    '%s: nobody knows, %s',
    async (at, trouble) => {
      const troubles = { [at]: trouble, ...(at === 'A6' ? { A7: '401' } : at === 'A8' ? { A9: '404' } : {}) }
      const { code, stderr, journal } = await onboarded({ troubles })
      expect(code).toBe(at === 'A6' || at === 'A8' ? 1 : 3)
      expect(stderr).toMatch(/\*{6}|an HTML page/)
      expect(journal).toContain(`"event":"unknown","endpoint":"${at}"`)
    },
  )

  test.concurrent.each(['A3', 'A5', 'A7', 'A9', 'A11'])('%s: refuses, fails, leads elsewhere', async (at) => {
    for (const trouble of ['400 in plain text', '503', '301']) {
      const { code, stderr } = await onboarded({ troubles: { [at]: trouble } })
      expect(code).toBe(1)
      expect(stderr).toContain(`onboard: ${at} (`)
    }
  })

  test.concurrent.each(['A3', 'A7', 'A9', 'A11'])('%s: has a state that tells', async (at) => {
    const { code, stdout, stderr, journal } = await onboarded({
      states: { [at]: `Failed ${inAllForms(SECRETS.join(' '))} ${KEY_FORMS}` },
      args: ['--json'],
    })
    expect(code).toBe(1)
    for (const text of [stdout, stderr, journal]) expect(text).toMatch(/Failed .*\*{6}/)
  })

  test.concurrent.each([
    ['A2', { id: TEXTS_IN_FILES['tunnel.secret'] }, 3],
    ['A10', { id: `dash-${TOKEN}` }, 3],
    ['A11', { job_id: TOKEN }, 1],
  ])('%s: has an id that tells', async (at, answer, expected) => {
    const { code } = await onboarded({ answers: { [at]: answer } })
    expect(code).toBe(expected)
  })
})

describe('the process', () => {
  const hangs = { states: { A7: `pending ${SECRETS.join(' ')}` } }

  test.concurrent.each<[NodeJS.Signals, number | null]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ])('%s while a job is waited for', async (endWith, expected) => {
    const asked = Promise.withResolvers<void>()
    const onCall = (endpoint: string): void => void (endpoint === 'A7' && asked.resolve())
    const { code, journal } = await onboarded({ ...hangs, onCall, running: { endWith, endAt: asked.promise } })
    expect(code).toBe(expected)
    expect(journal).toContain('"event":"answered","endpoint":"A6"')
  })

  test.concurrent('SIGKILL while a connection is made', async () => {
    const asked = Promise.withResolvers<void>()
    const onCall = (endpoint: string): void => void (endpoint === 'A6' && asked.resolve())
    const running = { endWith: 'SIGKILL', endAt: asked.promise } as const
    const { code, journal } = await onboarded({ troubles: { A6: 'silence' }, onCall, running })
    expect(code).toBeNull()
    expect(journal).toContain('"event":"intent","endpoint":"A6"')
  })

  test.concurrent.for([
    ['throw', process.execPath],
    ['reject', process.execPath],
    ['throw', NODE_26],
  ] as const)('crashes: %s', async ([way, node], context) => {
    needNode26(context, node)
    const options = '--trace-warnings --trace-uncaught --redirect-warnings=warnings.txt'
    const { code, stdout } = await onboarded({
      ...hangs,
      node,
      env: {
        NODE_OPTIONS: `--import=${PLANT} ${options}`,
        PLANT: `warn,print,${way}`,
        PLANT_AT: 'output',
        PLANT_KEY: 'plant.json',
      },
      prepare: (work) => work.file('plant.json', { api_key: SECRETS.slice(2).join(' ') }),
    })
    expect(code).toBe(1)
    expect(stdout).toContain('An internal fault of the connector stopped it')
  })
})

describe('the files', () => {
  const written = (secret: string): string => JSON.stringify(secret)

  test.concurrent.each<[string, string, RegExp]>([
    ['a secret written out', `login:\n  password: ${written(PASSWORD)}\n`, /`login\.password` must not be in the file/],
    [
      'a secret as a group',
      `login:\n  password: { value: ${written(PASSWORD)} }\n`,
      /`login\.password` must not be in the file/,
    ],
    [
      'secrets of all kinds',
      `connection:\n  credentials: [${written(PASSWORD)}]\nclient_key: ${written(LINES)}\n`,
      /`client_key`/,
    ],
    ['another name for it', `login:\n  pasword: ${written(PASSWORD)}\n`, /`login\.pasword` is unknown/],
    [
      'the wrong place',
      `base_url: ${written(PASSWORD)}\nlogin: ${written(LINES)}\n`,
      /`base_url` must begin with https/,
    ],
    ['in an address', `base_url: "https://u:${encodeURIComponent(PASSWORD)}@a.example.com"\n`, /no password/],
    ['no YAML', `login:\n  password: "${PASSWORD}\n ${LINES}`, /line \d+: /],
    ['twice', `login:\n  password: ${written(PASSWORD)}\n  password: ${written(LINES)}\n`, /occurs there twice/],
  ])('a config that cannot be used: %s', async (_, config, words) => {
    const { code, stderr, journal } = await onboarded({ config })
    expect(code).toBe(1)
    expect(stderr).toMatch(words)
    expect(journal).toBe('')
  })

  test.concurrent.each([
    ['db.secret', /it is not a journal of onboard/],
    ['.', /it is a folder/],
    ['none/journal', /ENOENT.*Create its folder first/],
    ['damaged', /its line 2 is damaged/],
  ])('a journal that cannot be used: %s', async (name, words) => {
    const prepare = async (work: WorkFolder): Promise<void> => {
      const file = await work.file('damaged', '{"event":"onboarding","version":1,"base_url":"x","at":"x"}\n')
      await appendFile(file, `{"event":${JSON.stringify(SECRETS.join(' '))}}\n`)
    }
    const running = { given: ['file damaged'] }
    const { code, stderr } = await onboarded({ args: ['--journal', name], prepare, running })
    expect(code).toBe(1)
    expect(stderr).toMatch(words)
  })

  test.concurrent('a result that cannot be written', async () => {
    const { code, stderr } = await onboarded({ args: ['--output', 'none/result'] })
    expect(code).toBe(1)
    expect(stderr).toContain('of --output cannot be written')
  })
})
