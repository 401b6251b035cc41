// Nobody ever sees the key: a library prints it, crashes with it, warns of it, in every way there is; and the commands that
// make keys of their own.

import { describe, expect, test } from 'vitest'
import { FORMS } from './forms.ts'
import { DEBUG, KEY, LINES, ownTroubles, played, unseen } from './run.ts'
import { workFolder } from '../connector.ts'
import { NODE_26, needNode26 } from '../tools/test-parts/need-node26.ts'

const PLANT = new URL('plant.ts', import.meta.url).pathname

const troubles = ownTroubles()

/** What a library could do, planted into the process. */
const CRASHES = ['throw', 'throw a text', 'throw again and again', 'reject']
const PRINTS = ['warn', 'print', 'print in pieces', 'print at the end']

function planted(ways: readonly string[], more: Record<string, string> = {}): Record<string, string> {
  const { NODE_OPTIONS = '', ...env } = more
  return { NODE_OPTIONS: `--import=${PLANT} ${NODE_OPTIONS}`, PLANT: ways.join(','), PLANT_KEY: 'config.json', ...env }
}

describe('a library', () => {
  const config = (): object => ({ import_url: troubles.url('401') })

  test.concurrent.each([...CRASHES, 'end the stream'])('write: %s', async (way) => {
    const { code, stdout, stderr } = await played('write', { debug: DEBUG, config: config(), env: planted([way]) })
    expect(code).toBe(1)
    if (way === 'end the stream') expect(stderr).toMatch(/\*{6} the last words$/)
    else expect(stdout).toMatch(/An internal fault of the connector stopped it/)
  })

  test.concurrent.each([
    ['check', 'request'],
    ['write', 'request'],
    ['plan', 'output'],
  ])('%s: prints', async (command, at) => {
    const env = planted(PRINTS, { PLANT_AT: at })
    const { stdout, stderr } = await played(command, { key: LINES, debug: DEBUG, config: config(), env })
    // every form once in every way to print all of them
    expect(stderr.match(/\*{6}/g)!.length).toBeGreaterThan(8 * Object.keys(FORMS).length)
    expect(stdout).toMatch(/\*{6} the last words$/)
    expect(stderr).toMatch(/\*{6}$/)
  })

  test.concurrent.each([
    ['check', 'request'],
    ['plan', 'output'],
  ])('%s: crashes', async (command, at) => {
    const env = planted(['throw', 'reject'], { PLANT_AT: at })
    const { stdout } = await played(command, { debug: DEBUG, config: config(), env })
    expect(stdout).toMatch(/An internal fault of the connector stopped it/)
  })

  test.concurrent('Node told to print and to keep more', async () => {
    const options = '--trace-warnings --trace-uncaught --unhandled-rejections=warn --redirect-warnings=warnings.txt'
    const env = planted(['warn', 'reject', 'throw'], { NODE_OPTIONS: options })
    const { seen } = await played('write', { debug: DEBUG, config: config(), env })
    expect(seen.get('file warnings.txt')!.toString()).toMatch(/\*{6}/)
  })

  test.concurrent('of Node 26 prints and crashes', async (context) => {
    needNode26(context)
    const env = planted([...PRINTS, 'reject', 'throw'])
    const { stdout } = await played('write', { debug: DEBUG, node: NODE_26, config: config(), env })
    expect(stdout).toMatch(/An internal fault of the connector stopped it/)
  })
})

test.concurrent('serve: keys of its own and of others', async () => {
  await using work = await workFolder()
  await work.file('config.json', { api_key: KEY })
  const act = async (output: string): Promise<void> => {
    const url = /http:\/\/[\d.:]+/.exec(output)![0]
    const ask = async (key: string): Promise<number> =>
      (await fetch(`${url}/v2/client/7/authenticate?apikey=${encodeURIComponent(key)}`)).status
    expect([await ask(KEY), await ask(LINES)]).toEqual([200, 401])
    const body = JSON.stringify({ keys: ['id'], id: 1 })
    await fetch(`${url}/v2/client/7/table/t/data?apikey=${encodeURIComponent(KEY)}`, { method: 'POST', body })
  }
  const { code, stdout, stderr } = await unseen(work, { debug: DEBUG }, [KEY, LINES], {
    args: ['serve', '--port', '0', '--client', `7:${KEY}`, '--data', 'rows.db'],
    env: planted(PRINTS),
    endAfter: { output: /Ctrl/, act },
    given: ['process cmdline'],
  })
  expect(code).not.toBe(null)
  expect(stdout).toContain('key as given')
  expect(stderr).toMatch(/\*{6}/)
})

test.concurrent('serve: crashes', async () => {
  await using work = await workFolder()
  await work.file('config.json', { api_key: KEY })
  const act = async (output: string): Promise<void> => {
    await fetch(`${/http:\/\/[\d.:]+/.exec(output)![0]}/?apikey=${encodeURIComponent(KEY)}`).catch(() => {})
  }
  const { stdout } = await unseen(work, { debug: DEBUG }, [KEY], {
    args: ['serve', '--port', '0', '--client', `7:${KEY}`],
    env: planted(['throw', 'reject']),
    endAfter: { output: /Ctrl/, act },
    given: ['process cmdline'],
  })
  expect(stdout).toMatch(/An internal fault of the connector/)
})

test.concurrent('spec and demo, beside a config with the key', async () => {
  await using work = await workFolder()
  await work.file('config.json', { api_key: KEY })
  expect((await unseen(work, { debug: DEBUG }, [KEY], { args: ['spec'] })).stdout).toMatch(/^\{"type":"SPEC"/)
  const demo = await unseen(work, { debug: DEBUG }, [KEY, 'demo-key'], { args: ['demo'] })
  expect(demo.code).toBe(0)
  expect(demo.stderr).toMatch(/apikey=\*{6}/)
})
