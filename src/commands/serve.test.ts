import { expect, it } from 'vitest'
import { startLocalService } from '../local-service/start.ts'
import { serve, type ServeOptions } from './serve.ts'

/** Runs until `use` is through with what was printed. */
async function running(options: Partial<ServeOptions>, use: (printed: string) => Promise<void>): Promise<number> {
  const ending = new AbortController()
  let printed = ''
  let ready = (): void => {}
  const listening = new Promise<void>((resolve) => (ready = resolve))
  const io = {
    write(text: string) {
      printed += text
      ready()
    },
  }
  const code = serve({ port: '0', isTty: false, ...options }, io, ending.signal)
  await Promise.race([listening, code])
  try {
    await use(printed)
  } finally {
    ending.abort()
  }
  return code
}

function configIn(printed: string): Record<string, unknown> {
  return JSON.parse(printed.split('\n').find((line) => line.startsWith('{'))!)
}

it('prints a config that works, serves, and ends by its signal', async () => {
  const code = await running({}, async (printed) => {
    const config = configIn(printed)
    expect(config).toEqual({
      import_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      sandbox_import_url: `${String(config['import_url'])}/sandbox`,
      client_id: 7,
      api_key: 'demo-key',
    })
    for (const base of [config['import_url'], config['sandbox_import_url']]) {
      expect((await fetch(`${String(base)}/v2/client/7/authenticate?apikey=demo-key`)).status).toBe(200)
    }
    expect(printed).not.toContain('\u001b')
  })
  expect(code).toBe(0)
})

it('is bold on a terminal, with the same words', async () => {
  await running({ isTty: true }, async (printed) => {
    expect(printed).toContain('\u001b[1m')
    expect(configIn(printed)).toMatchObject({ client_id: 7 })
  })
})

it('takes several clients, and keys with colons', async () => {
  const client = ['7:a:b', '7:c', '12:d']
  await running({ client, maxBody: '10', rateLimit: '0.5', compat: true }, async (printed) => {
    const base = String(configIn(printed)['import_url'])
    expect(configIn(printed)).toMatchObject({ client_id: 7, api_key: 'a:b' })
    const status = async (id: number, key: string): Promise<number> =>
      (await fetch(`${base}/v2/client/${id}/authenticate?apikey=${key}`)).status
    expect([await status(7, 'a:b'), await status(12, 'd'), await status(12, 'c'), await status(7, 'c')]).toEqual([
      200, 200, 401, 429,
    ])
    expect((await fetch(base)).headers.get('content-type')).toBe('text/html; charset=UTF-8')
  })
})

it('says what is wrong with an option, and prints nothing', async () => {
  await using other = await startLocalService()
  const wrong: [Partial<ServeOptions>, RegExp][] = [
    [{ port: 'x' }, /--port "x"/],
    [{ port: '65536' }, /--port/],
    [{ port: '' }, /--port/],
    [{ port: '0x10' }, /--port/],
    [{ port: String(other.port) }, /in use/],
    [{ client: ['demo-key'] }, /--client/],
    [{ client: ['7:'] }, /--client/],
    [{ client: ['7:ok', 'x:y'] }, /--client/],
    [{ client: ['99999999999999999999:k'] }, /client id/],
    [{ maxBody: '1.5' }, /--max-body/],
    [{ maxBody: '0' }, /--max-body/],
    [{ rateLimit: '0' }, /--rate-limit/],
    [{ rateLimit: '-1' }, /--rate-limit/],
  ]
  for (const [options, message] of wrong) {
    const io = { write: () => expect.unreachable() }
    const run = serve({ port: 0, isTty: false, ...options }, io, AbortSignal.abort())
    await expect(run).rejects.toMatchObject({ kind: 'config', message: expect.stringMatching(message) })
  }
})
