import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { ownMachine } from './machine.ts'
import { peerCdk, peerDrt, peerSinger } from './peers.ts'
import { pyairbyte } from './pyairbyte.ts'
import { pytest } from './pytest.ts'
import { pythonEnvironment } from './python-environment.ts'
import { pythonKafka } from './python-kafka.ts'
import { sourceFaker } from './source-faker.ts'

const machine = ownMachine()

/** Makes an environment of itself, and writes down what it is to install. */
const PYTHON = `case "$*" in
  *' venv '*) mkdir "$3/bin" && cp "$0" "$3/bin/python";;
  *' install '*) echo "$*" >"\${0%/*}/installed";;
  -c*) echo "$0";;
esac`

it.each([pyairbyte, sourceFaker, pytest, pythonKafka, peerCdk, peerSinger, peerDrt])(
  'has a digest of every package: $name',
  async (part) => {
    const requirements = (await part.recipe()).replaceAll(/^#.*\n/gm, '').replaceAll('\\\n', '')
    const lines = requirements.split('\n').filter((line) => line !== '')
    expect(lines.length).toBeGreaterThan(part === pytest ? 5 : 30)
    for (const line of lines) expect(line).toMatch(/^[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}\b/)
  },
)

it('is made of what has one of its digests and needs no building, and of nothing else', async () => {
  const requirements = join(machine.folder, 'requirements.txt')
  await writeFile(requirements, 'a==1 --hash=sha256:0')
  const environment = await machine.having({ python3: PYTHON })
  const made = await machine.made(pythonEnvironment('python', pathToFileURL(requirements), environment))
  const installed = await readFile(join(made, 'bin/installed'), 'utf8')
  expect(installed).toContain(`install --no-deps --only-binary :all: --require-hashes --requirement ${requirements}`)
})
