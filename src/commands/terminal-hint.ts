// What somebody is told who starts `write` without giving it anything to read.

import type { Io } from '../process/io.ts'
import type { Input } from '../process/pipe-input.ts'

const HINT = `write reads Airbyte messages from standard input, one JSON object a line; that
is this terminal. Type or paste them and end with Ctrl-D, or break off with
Ctrl-C and give it a file: write --config FILE --catalog FILE < messages.jsonl
`

/** On standard error, at a terminal only. Never throws. */
export async function hintAtTerminal({ isTTY }: Pick<Input, 'isTTY'>, { stderr }: Pick<Io, 'stderr'>): Promise<void> {
  if (isTTY === true) await stderr.write(HINT).catch(() => {})
}
