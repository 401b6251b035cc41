// The options of what becomes of records that cannot be stored: types, defaults, and the words a form shows. Knows no rule
// that joins two options (read-rejects.ts).

import { z } from 'zod'

export const rejectOptions = {
  on_rejected: z.enum(['fail', 'divert']).default('fail').meta({
    group: 'rejects',
    order: 23,
    title: 'Rejected records',
    description:
      'What to do with a record that cannot be stored. fail: stop there, naming stream, table, line and reason; what came before is delivered. divert: keep it, count it, and go on.',
  }),
  rejected_table: z
    .string()
    .regex(/^[A-Za-z0-9_]+$/)
    .default('rejected_records')
    .meta({
      group: 'rejects',
      order: 24,
      pattern_descriptor: 'letters (A–Z, a–z), digits and _',
      title: 'Table of rejected records',
      description:
        'The table that diverted records go to, the whole message as text with stream, table, reason and time; no prefix is added, and no stream may have it.',
    }),
  rejected_file: z
    .string()
    .optional()
    .meta({
      group: 'rejects',
      order: 25,
      title: 'File of rejected records',
      description:
        'A file that diverted records are appended to instead of the table, one message a line with the reason in it; repaired, it is input for a write. It should be on storage that outlives the run.',
      examples: ['/data/rejected.jsonl'],
    }),
  log_keys: z.boolean().default(false).meta({
    group: 'rejects',
    order: 26,
    title: 'Log keys',
    description: 'Whether messages about a rejected record may show the value of its key.',
  }),
}
