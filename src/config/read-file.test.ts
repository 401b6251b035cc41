import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

import { readFileText } from './read-file.ts'
import { ownFolder } from '../process/testing/own-folder.ts'

const folder = ownFolder('file')

test.each([
  ['sk_live_SECRET123', /^The file of --config cannot be read: there is no such file \(its name is not shown/],
  ['7:SECRET123', /^The file of --config cannot be read/],
  ['http://127.0.0.1/v2/client/7/authenticate?apikey=SECRET123', /^--config takes .* looks like an address/],
  ['api_key=SECRET123', /^--config takes .* looks like an address/],
  ['api_key: SECRET123', /^--config takes .* looks like its content/],
  [' {"api_key":"SECRET123"}', /^--config takes .* looks like its content/],
])('what may be a key is not shown: %j', async (given, words) => {
  const said = await readFileText(given, '--config').catch((error: unknown) => String(error))
  expect(said.replace('ConnectorError: ', '')).toMatch(words)
  expect(said).not.toContain('SECRET123')
})

test.each(['missing', 'Config', 'stream.yaml', './x1_9', 'C:\\x'])('a path is shown: %j', async (given) => {
  await expect(readFileText(given, '--config')).rejects.toThrow(`The file ${JSON.stringify(given)} of --config`)
})

test('a file of a similar name is named', async () => {
  await writeFile(join(folder, 'config.json'), '{}')
  const near = JSON.stringify(join(folder, 'config.json'))
  await expect(readFileText(join(folder, 'confg.jsn'), '--config')).rejects.toThrow(
    `there is no such file. Did you mean ${near}?`,
  )
  await expect(readFileText(join(folder, 'other.yaml'), '--config')).rejects.toThrow(
    'Give the path of a readable file.',
  )
})

test('the name of what is there is shown, for that is no key', async () => {
  const here = process.cwd()
  await expect(readFileText('.', '--config')).rejects.toThrow(
    'The file "." of --config cannot be read: it is a folder. ',
  )
  await expect(readFileText(`${here}/..`, '--config')).rejects.toThrow(`"${here}/.."`)
  await expect(readFileText('k3Jx9QpLz2Vn8RtY', '--config')).rejects.toThrow('its name is not shown')
})

test('a file comes back whole, without its byte order mark', async () => {
  const text = 'é'.repeat(100_000)
  await writeFile(join(folder, 'a'), `\uFEFF${text}`)
  expect(await readFileText(join(folder, 'a'), '--config')).toBe(text)
})

test.each([
  ['missing.json', 'there is no such file'],
  ['a/b', 'there is no such file'],
  ['.', 'it is a folder'],
  ['a\0b', 'cannot be read'],
  ['/dev/zero', 'it is larger than 100000 bytes'],
  ['latin1', String.raw`it is not UTF-8 text\. Save it as UTF-8\.$`],
])('%j: %s', async (name, words) => {
  await writeFile(join(folder, 'a'), '{}')
  await writeFile(join(folder, 'latin1'), Buffer.from('{"é":1}', 'latin1'))
  await expect(readFileText(resolve(folder, name), '--config', 100_000)).rejects.toMatchObject({
    name: 'ConnectorError',
    kind: 'config',
    message: expect.stringMatching(new RegExp(`^The file ".*" of --config .*${words}`)),
  })
})
