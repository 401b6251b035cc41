// The options of `write` and `check` as a JSON Schema, for editors. The specification is for forms: it knows one form of each
// option, and takes what it does not know.

import type { Node } from './file-schema.ts'
import { forEditors, jsonSchema } from './file-schema.ts'
import { withSchemaName } from './schema-name.ts'
import { writeOptions } from './write-options.ts'

/** What the loader reads as a number too. */
const DIGITS: Node = { type: 'string', pattern: String.raw`^\s*\d+\s*$` }

/** Draft 07. Says less than `write` checks; an unknown name, which `write` warns of, is an error. */
export function writeFileSchema(): Node {
  const { $schema, required = [], ...schema } = strict(jsonSchema(writeOptions))
  const { client_id: clientId, ...options } = schema.properties!
  const { title, description, examples, ...number } = clientId as Node
  return withSchemaName({
    $schema: $schema!,
    title: 'A config for write, check and plan',
    ...schema,
    properties: {
      import_url: options['import_url']!,
      client_id: { title: title!, description: description!, examples: examples!, anyOf: [number, DIGITS] },
      ...options,
    },
    required: required.filter((name) => name !== 'import_url'),
    anyOf: [
      { properties: { use_sandbox: { const: false } }, required: ['import_url'] },
      { properties: { use_sandbox: { const: true } }, required: ['use_sandbox', 'sandbox_import_url'] },
    ],
  })
}

function strict(node: Node): Node {
  const own = forEditors(node)
  if (own.type === 'array') return { ...own, items: strict(own.items as Node) }
  if (own.properties === undefined) return own
  const members = Object.entries(own.properties).map(([name, member]) => [name, strict(member as Node)])
  return { ...own, properties: Object.fromEntries(members) as Record<string, Node>, additionalProperties: false }
}
