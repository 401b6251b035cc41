// What the tests of the canary share: keys that are hard to hide, servers in trouble, and one run of which nothing may be seen.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { leaks, watch, type Running, type Watched } from './process.ts'
import { startTroubles, type TroubleServers } from './troubles.ts'
import { workFolder, type WorkFolder } from '../connector.ts'
import { record, state, stream } from '../write/driver.ts'

export const KEY = 'k/é+&=%"\\'
/** Spaces, a line break, and what a shell, a form and an HTML page take for something else. */
export const LINES = 'zwei Wörter <b>\n& \'noch\' "eine" Zeile'
export const PASSWORD = 'pr/öxy+&=%"'

export const DEBUG = 'undici,fetch,http,http2,https,net,tls,stream,timer,fs,canary'

/** As without the variable, were it not for a folder of temporary files of its own. */
const CACHE = join(tmpdir(), 'node-compile-cache')

/** Runs it, and expects that none of `keys` was seen anywhere but where its user had put it. */
export async function unseen(
  work: WorkFolder,
  { node, debug }: { readonly node?: string; readonly debug?: string },
  keys: readonly string[],
  running: Running,
): Promise<Watched> {
  const env = { NODE_COMPILE_CACHE: CACHE, ...(debug === undefined ? {} : { NODE_DEBUG: debug }), ...running.env }
  const given = ['file config.json', 'file catalog.json', ...(running.given ?? [])]
  const watched = await watch(work, { ...(node === undefined ? {} : { node }), ...running, env, given })
  expect(await leaks(watched, keys)).toEqual([])
  return watched
}

/** To be called once in a file: servers that are there while its tests run. */
export function ownTroubles(): TroubleServers {
  const troubles = {} as TroubleServers
  beforeAll(async () => {
    Object.assign(troubles, await startTroubles())
    return () => troubles[Symbol.asyncDispose]()
  })
  return troubles
}

/** Commands, beside each other. */
export async function eachOf(commands: readonly string[], act: (command: string) => Promise<void>): Promise<void> {
  await Promise.all(commands.map(act))
}

/** Those that talk to a service. */
export const BOTH = ['check', 'write']

interface Settings {
  readonly key: string
  /** More than the key and the client; a text is the whole file. */
  readonly config?: object | string
  readonly catalog?: object
}

const RECORDS = [record('{"id":1}'), record('{"id":2,"note":"x"}'), state('{"at":2}')].join('\n')

export interface Play extends Partial<Settings>, Partial<Running> {
  readonly debug?: string
}

/** Runs a command with these settings in a folder of its own: its key is seen nowhere but where its user had put it. */
export async function played(
  command: string,
  { key = KEY, config, catalog, debug, ...running }: Play,
): Promise<Watched> {
  await using work = await workFolder()
  const settings = { key, ...(config === undefined ? {} : { config }), ...(catalog && { catalog }) }
  const whole = { ...(await prepared(work, command, settings)), ...running }
  return await unseen(work, debug === undefined ? {} : { debug }, [key], whole)
}

/** Arguments of a command, its files written. */
export async function prepared(
  work: WorkFolder,
  command: string,
  { key, config, catalog }: Settings,
): Promise<Running> {
  const whole = typeof config === 'string' ? config : { client_id: 7, api_key: key, retry_for_seconds: 0, ...config }
  await work.file('config.json', whole)
  await work.file('catalog.json', catalog ?? { streams: [stream('orders')] })
  const files = ['--config', 'config.json', ...(command === 'check' ? [] : ['--catalog', 'catalog.json'])]
  return { args: [command, ...files], input: command === 'write' ? RECORDS : '' }
}
