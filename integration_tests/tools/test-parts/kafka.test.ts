import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { kafka, kafkaVersion } from './kafka.ts'
import { ownMachine } from './machine.ts'

const machine = ownMachine()

const JAVA_17 = `echo 'openjdk version "17.0.15" 2025-04-15' >&2`
/** Puts a jar where it is told. */
const MAVEN = `for option; do case $option in -DoutputDirectory=*) mkdir "\${option#*=}"; echo jar >"\${option#*=}/a.jar"; esac; done`

it.each([
  ['no Java', {}, 'Java 17 or newer, and java cannot be run'],
  ['an old Java', { java: `echo 'java version "1.8.0_292"' >&2` }, 'and java is Java 1'],
  ['a Java before 17', { java: `echo 'openjdk version "11.0.2" 2019-01-15' >&2` }, 'and java is Java 11'],
  ['something else called java', { java: 'echo coffee' }, 'and java is Java of an unknown version'],
  ['no Maven', { java: JAVA_17 }, 'it needs Maven, and mvn cannot be run'],
])('cannot be had with %s', async (_, programs, reason) => {
  const fetched = await machine.fetch(kafka('4.4.0', await machine.having(programs), machine.folder))
  expect(fetched).toEqual({ status: 'impossible', reason: expect.stringContaining(reason) })
})

it.each(['21-ea', '25', '17.0.15'])('is had with Java %s', async (version) => {
  const environment = await machine.having({ java: `echo 'openjdk version "${version}"' >&2`, mvn: MAVEN })
  await machine.made(kafka('4.4.0', environment, machine.folder))
})

it('is each version beside the others, and gone with one of its jars', async () => {
  const environment = await machine.having({ java: JAVA_17, mvn: MAVEN })
  const [usual, other] = [kafka('4.4.0', environment, machine.folder), kafka('3.9.2', environment, machine.folder)]
  const made = await machine.made(usual)
  await machine.made(other)
  expect(await machine.find(usual)).toBe(made)
  await truncate(join(made, 'libs', 'a.jar'), 1)
  expect(await machine.find(usual)).toBeUndefined()
  expect(await machine.find(other)).toBeDefined()
})

it("tells Maven's complaint, not its advice", async () => {
  const said = `printf '\\033[0m[ERROR] No such jar: x -> [Help 1]\\n[ERROR] Re-run Maven\\n'`
  const environment = await machine.having({ java: JAVA_17, mvn: `[ "$3" = --version ] && exit\n${said}\nexit 1` })
  await expect(machine.fetch(kafka('4.4.0', environment, machine.folder))).rejects.toThrow(/^No such jar: x$/)
})

it('takes a version from the environment, and only what looks like one', async () => {
  expect(kafkaVersion({})).toBe('4.4.0')
  expect(kafkaVersion({ KAFKA_VERSION: '3.9.2' })).toBe('3.9.2')
  const environment = await machine.having({ java: JAVA_17, mvn: MAVEN })
  const fetching = machine.fetch(kafka('../</version>', environment, machine.folder))
  await expect(fetching).rejects.toThrow("KAFKA_VERSION is '../</version>'")
})
