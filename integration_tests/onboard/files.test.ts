// The files of an onboarding under hostile names: two runs never share a journal, and the result overwrites nothing of them.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { finished, MAIN, run, start } from '../connector.ts'
import { ONE_OF_EACH, onboarding, outcome, SECRETS, type Onboarded } from './driver.ts'

const env = { ...process.env, ...SECRETS }

it.concurrent('a journal is taken by one run at a time, by a link that led nowhere too', async () => {
  const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using it = await onboarding({
    onboarding: {
      async onCall({ endpoint }) {
        if (endpoint !== 'A3') return
        arrived.resolve()
        await answered.promise
      },
    },
  })
  const journal = `${it.work.path}/link`
  mkdirSync(`${it.work.path}/real`)
  symlinkSync(`${it.work.path}/real/journal`, journal)
  const running = finished(start([...it.args, '--journal', journal, '--json'], { env }))
  await arrived.promise
  const refused = await run([...it.args, '--journal', journal, '--json'], '', { env })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('another onboard is using it')
  answered.resolve()
  const { code, stderr } = await running
  expect(code, stderr).toBe(0)
  expect(it.made()).toEqual(ONE_OF_EACH)
  expect(readdirSync(it.work.path).filter((name) => name.startsWith('.'))).toEqual([])
})

it.concurrent.each(['.part', '.tmp', '-'])('a file called as the result and %s keeps what it holds', async (end) => {
  await using it = await onboarding()
  const journal = `${it.resultFile}${end}`
  expect((await it.run({ journal })).code).toBe(0)
  expect(readFileSync(journal, 'utf8')).toContain('"event":"onboarding"')
  expect((await it.run({ journal })).code).toBe(0)
  expect(it.made()).toEqual(ONE_OF_EACH)
})

it.concurrent.each<[string, (it: Onboarded) => string]>([
  ['the journal', ({ journalFile }) => journalFile],
  ['the journal, by a link that leads nowhere yet', link('journal', ({ journalFile }) => journalFile)],
  ['the config, by a link', link('config', ({ configFile }) => configFile)],
])('the result is not written over %s', async (_, output) => {
  await using it = await onboarding()
  const { code, stderr } = await it.run({ output: output(it) })
  expect(code).toBe(1)
  expect(stderr).toContain('it is the config, the journal or its lock')
  expect(it.made().signups).toBe(0)
  expect((await it.run()).code).toBe(0)
  expect(it.made()).toEqual(ONE_OF_EACH)
})

it.concurrent('what was made is said all the same where the result finds no room', async () => {
  await using it = await onboarding()
  const full = await it.run({ output: '/dev/full' })
  expect(full.code).toBe(1)
  expect(full.stdout).toContain('The client is onboarded.')
  expect(full.stderr).toContain('of --output cannot be written: there is no space left')
  const json = await it.run({ output: '/dev/full', json: true })
  expect(json.stdout).toMatch(/\{"event":"result","status":"onboarded",.*\n\{"event":"error",.*\n$/)
  expect((await it.run()).code).toBe(0)
  expect(it.result()).toMatchObject({ status: 'onboarded' })
  expect(it.made()).toEqual(ONE_OF_EACH)
})

it.concurrent('the result may have a name that looks like a lock', async () => {
  await using it = await onboarding()
  const options = { output: `${it.journalFile}.lock` }
  for (let round = 0; round < 2; round++) expect((await it.run(options)).code).toBe(0)
  expect(readFileSync(options.output, 'utf8')).toContain('"onboarded"')
  expect(it.made()).toEqual(ONE_OF_EACH)
})

it.concurrent('the lock that is held is not written over', async () => {
  const outputs: string[] = []
  await using it = await onboarding({
    onboarding: {
      onCall({ endpoint }) {
        if (endpoint === 'A1') outputs.push(...readdirSync(it.work.path).filter((name) => name.endsWith('.lock')))
      },
    },
  })
  it.service.fault({ endpoint: 'A2', answer: { status: 400 } })
  expect((await it.run()).code).toBe(1)
  expect(outputs).toHaveLength(1)
  const { code, stderr } = await it.run({ output: `${it.work.path}/${outputs[0]}` })
  expect(stderr).toContain('it is the config, the journal or its lock')
  expect(code).toBe(1)
  expect(it.made().signups).toBe(0)
})

it.concurrent('a journal that can grow no further stops the run, and says what to do', async () => {
  await using it = await onboarding()
  const command = `ulimit -f 1; exec "${process.execPath}" "${MAIN}" ${it.args.map((arg) => `"${arg}"`).join(' ')}`
  const limited = spawn('bash', ['-c', command], { env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' } })
  const { code, stderr } = await outcome(limited)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /writing to it failed \(EFBIG\)\. Raise the limit on the size of files \(ulimit -f\), then run/,
  )
  const { code: next } = await it.run()
  expect([0, 3]).toContain(next)
  expect(it.made().signups).toBe(1)
  expect(existsSync(it.resultFile)).toBe(next === 0)
})

function link(name: string, to: (it: Onboarded) => string): (it: Onboarded) => string {
  return (it) => {
    const path = `${it.work.path}/link-to-${name}`
    symlinkSync(to(it), path)
    return path
  }
}
