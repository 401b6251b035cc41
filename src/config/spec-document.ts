// The connector specification (service of the options' schema to a form), as spec/ keeps it. Knows no file.

import { z } from 'zod'

import { GROUPS, writeOptions } from './write-options.ts'

/** The ConnectorSpecification object, as it stands in a SPEC message. */
export function specDocument(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(writeOptions, { io: 'input', target: 'draft-7' })
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
