// Which options of `stream` are secrets, and which may be files: as its schema marks them.

import { optionsIn } from '../options-in.ts'
import type { References } from '../references.ts'
import { streamSchema } from './stream-options.ts'

const options = optionsIn(streamSchema)
const SECRETS = options.filter(({ meta }) => meta['airbyte_secret'] === true).map(({ path }) => path)
const SECRET_PATHS = new Set(SECRETS.map((path) => path.join('.')))
const SECRET_NAMES = new Set(SECRETS.map((path) => path.at(-1)))
const FILE_PATHS = new Set(options.filter(({ meta }) => meta['multiline'] === true).map(({ path }) => path.join('.')))
const MAX_DEPTH = 8

export const STREAM_REFERENCES: References = {
  isSecret: (path) => SECRET_PATHS.has(path.join('.')),
  isFile: (path) => FILE_PATHS.has(path.join('.')),
}

/** What stands in a file under the name of a secret, wherever that is, paths of files left out: for the scrubber, so too many
 *  are better than too few.
 *  @param given with its references resolved */
export function strayedSecrets(given: unknown, named = false, depth = 0): string[] {
  if (typeof given === 'string' || typeof given === 'number') return named ? [String(given)] : []
  if (typeof given !== 'object' || given === null || depth > MAX_DEPTH) return []
  return Object.entries(given).flatMap(([name, value]) =>
    name === 'file' ? [] : strayedSecrets(value, named || SECRET_NAMES.has(name), depth + 1),
  )
}
