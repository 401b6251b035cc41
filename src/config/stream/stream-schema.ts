// The options of `stream` as a JSON Schema, for editors: what the options are, and how a file may write them.

import type { Node } from '../file-schema.ts'
import { fileSchema } from '../file-schema.ts'
import { withSchemaName } from '../schema-name.ts'
import { streamSchema } from './stream-options.ts'

/** Draft 07. Says less than `stream` checks: no rule joins two options. */
export function streamFileSchema(): Node {
  return withSchemaName(fileSchema(streamSchema, 'A config for stream'))
}
