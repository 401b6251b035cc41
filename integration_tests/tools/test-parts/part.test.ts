import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fetchPart, findPart, partsFolder, type Part } from './part.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const root = ownFolder('test')

const never = new AbortController().signal
const there = (folder: string): Promise<boolean> =>
  readFile(join(folder, 'file'), 'utf8').then(
    (text) => text === 'whole',
    () => false,
  )

/** A part that is one file; `made` counts. */
function filePart(more: Partial<Part> = {}): Part & { made: number } {
  const part = {
    name: 'file',
    made: 0,
    recipe: async () => 'first',
    obstacle: async () => undefined,
    async make(folder: string) {
      part.made++
      await writeFile(join(folder, 'file'), 'whole')
    },
    works: there,
    ...more,
  }
  return part
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'close')
  return child.pid!
}

/** What there is besides the link. */
const folders = async (): Promise<string[]> => (await readdir(root)).filter((name) => name !== 'file')

it('makes a part once', async () => {
  const part = filePart()
  expect(await findPart(root, part)).toBeUndefined()
  const made = await fetchPart(root, part, never)
  expect(made.status).toBe('made')
  const again = await fetchPart(root, part, never)
  expect(again).toEqual({ status: 'there', folder: await findPart(root, part) })
  expect(part.made).toBe(1)
})

it('makes another one for another recipe, and for one that no longer works', async () => {
  await fetchPart(root, filePart(), never)
  const changed = filePart({ recipe: async () => 'second' })
  expect(await findPart(root, changed)).toBeUndefined()
  const { status, folder } = (await fetchPart(root, changed, never)) as { status: string; folder: string }
  expect(status).toBe('made')
  await writeFile(join(folder, 'file'), 'bro')
  expect(await findPart(root, changed)).toBeUndefined()
  expect(await fetchPart(root, changed, never)).toMatchObject({ status: 'made' })
  expect(await findPart(root, changed)).toBeDefined()
})

it('fetches again what works and is not genuine', async () => {
  await fetchPart(root, filePart(), never)
  const part = filePart({ isGenuine: async () => false })
  expect(await fetchPart(root, part, never)).toMatchObject({ status: 'made' })
})

it('says what stands in the way, and makes nothing', async () => {
  const part = filePart({ obstacle: async () => 'no Python' })
  expect(await fetchPart(join(root, 'none'), part, never)).toEqual({ status: 'impossible', reason: 'no Python' })
  expect(await folders()).toEqual([])
})

it('leaves nothing of a failure or an interruption', async () => {
  const failing = filePart({
    make: async (folder) => {
      await writeFile(join(folder, 'file'), 'who')
      throw new Error('the network is down')
    },
  })
  await expect(fetchPart(root, failing, never)).rejects.toThrow('the network is down')
  const interrupted = new AbortController()
  const slow = filePart({ make: async () => interrupted.abort() })
  await expect(fetchPart(root, slow, interrupted.signal)).rejects.toThrow('abort')
  expect(await folders()).toEqual([])
  expect(await findPart(root, failing)).toBeUndefined()
})

it('takes no half-made part of a killed fetch for a part, and clears it away', async () => {
  const part = filePart()
  const { folder } = (await fetchPart(root, part, never)) as { folder: string }
  await rm(join(root, 'file'))
  const [title] = folder.split('/').at(-1)!.split('.')
  const left = [`${title}.${await deadPid()}.abcdef`, `file-0123456789ab.${await deadPid()}.ghijkl`]
  for (const name of left) await mkdir(join(root, name))
  // killed between the two steps of appearing
  await symlink(left[0]!, join(root, `${left[0]}.link`))
  // one that is being made right now, and what is none of ours
  for (const name of [`file-0123456789ab.${process.ppid}.mnopqr`, 'file-2-0123456789ab.1.x', 'other'])
    await mkdir(join(root, name))
  expect(await findPart(root, part)).toBeUndefined()

  const made = (await fetchPart(root, part, never)) as { folder: string }
  expect(await there(made.folder)).toBe(true)
  const kept = [`file-0123456789ab.${process.ppid}.mnopqr`, 'file-2-0123456789ab.1.x', 'other']
  const own = [folder, made.folder].map((path) => path.split('/').at(-1)!)
  expect((await folders()).toSorted()).toEqual([...kept, ...own].toSorted())
})

it('may be asked for twice at a time', async () => {
  const part = filePart()
  const both = await Promise.all([fetchPart(root, part, never), fetchPart(root, part, never)])
  expect(both.every(({ status }) => status === 'made')).toBe(true)
  expect(await findPart(root, part)).toBeDefined()
})

it('has its place in the cache of the user', () => {
  const below = 'destination-analytics-service/test-parts'
  expect(partsFolder({ HOME: '/home/a' })).toBe(`/home/a/.cache/${below}`)
  expect(partsFolder({ HOME: '/home/a', XDG_CACHE_HOME: '/c' })).toBe(`/c/${below}`)
  expect(partsFolder({ HOME: '/home/a', XDG_CACHE_HOME: 'relative' })).toBe(`/home/a/.cache/${below}`)
  expect(partsFolder({ HOME: '/home/a', XDG_CACHE_HOME: '/c', TEST_PARTS: '/t' })).toBe('/t')
})
