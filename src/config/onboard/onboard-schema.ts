// The options of `onboard` as a JSON Schema, for editors. Knows how what the options are is told.

import type { Node } from '../file-schema.ts'
import { fileSchema } from '../file-schema.ts'
import { onboardOptions } from './onboard-options.ts'
import { ONBOARD_WORDS } from './onboard-words.ts'
import { withSchemaName } from '../schema-name.ts'

/** Draft 07. Says less than `onboard` checks: no rule joins two options. */
export function onboardFileSchema(): Node {
  return withSchemaName(told(fileSchema(onboardOptions, 'A config for onboard'), []))
}

function told(node: Node, path: readonly string[]): Node {
  const words = ONBOARD_WORDS[path.join('.')]
  const shown = words === undefined ? node : { description: words, ...node }
  if (node.properties === undefined) return shown
  const members = Object.entries(node.properties).map(([name, member]) => [name, told(member as Node, [...path, name])])
  return { ...shown, properties: Object.fromEntries(members) as Record<string, Node> }
}
