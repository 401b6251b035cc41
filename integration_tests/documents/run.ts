// Runs `write` in this process, with the input a pipe would give: chunks of one buffer that is filled again and again.

import { write } from '../../src/commands/write.ts'
import type { Finished, Message, WorkFolder } from '../connector.ts'
import { ioOf, Said } from '../../src/process/testing/said.ts'
import { ReusedChunks } from '../in-process.ts'

/** As `run` of the process, without one. */
export async function runHere(work: WorkFolder, config: object, streams: object[], input: Buffer): Promise<Finished> {
  const [out, err] = [new Said(), new Said()]
  const files = {
    configFile: await work.file('config.json', config),
    catalogFile: await work.file('catalog.json', { streams }),
  }
  const ended = await write(files, ioOf(new ReusedChunks(input), out, err))
  const stdout = await out.text()
  const lines = stdout.split('\n').slice(0, -1)
  const messages = lines.map((line) => JSON.parse(line) as Message)
  return {
    code: ended === 'stopped' ? null : ended,
    stdout,
    stderr: await err.text(),
    lines,
    messages,
    states: lines.filter((_, index) => messages[index]!.type === 'STATE'),
  }
}
