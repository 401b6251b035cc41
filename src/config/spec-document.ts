// The connector specification (service of the options' schema to a form), as spec/ keeps it. Knows no file.

import { z } from 'zod'

import { KEY_ITEM, keyOption } from './table-options.ts'
import { GROUPS, writeOptions } from './write-options.ts'

/** The options as a JSON Schema that forms understand: a member of `keys` is shown as a text, though a list of names or an
 *  object is read too. */
export function formSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(writeOptions, {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      if ((zodSchema as unknown) !== keyOption) return
      delete jsonSchema.anyOf
      Object.assign(jsonSchema, KEY_ITEM)
    },
  })
}

/** The ConnectorSpecification object, as it stands in a SPEC message. */
export function specDocument(): Record<string, unknown> {
  const { $schema, ...schema } = formSchema()
  return {
    documentationUrl: 'https://docs.example.com/destination-analytics-service',
    supported_destination_sync_modes: ['append_dedup', 'append'],
    supportsIncremental: true,
    protocol_version: '0.19.0',
    connectionSpecification: {
      $schema,
      title: 'Analytics Service destination',
      ...schema,
      // A member it does not know is a warning, no error.
      additionalProperties: true,
      groups: GROUPS,
    },
  }
}
