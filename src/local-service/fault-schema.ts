// The schema of the body of `POST /_local/faults` (docs/local-service.md#scripted-faults).

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { z } from 'zod'
import { TABLE_NAME } from '../service/contract.ts'
import { mustBe } from './json-body.ts'
import { ENDPOINT_NAMES, isCallPath } from './onboarding/answer-call.ts'
import { LONGEST_WAIT_MS } from './settings.ts'
import type { HeaderValue } from './types.ts'

/** Errors of the members: each is missing, or "must be …". */
const TABLE = mustBe('letters, digits and underscores')
const PATH = mustBe('a path of interface A, without a query')
const COUNT = mustBe('a whole number from 1')
const DELAY = mustBe(`a number from 0 to ${LONGEST_WAIT_MS}`)
const STATUS = mustBe('a whole number from 200 to 599')
const HEADER = mustBe('a text, a number or a list of texts')
const BODY = mustBe('a string, or an object or array to send as JSON')

const optionalCount = z.int(COUNT).min(1, COUNT).exactOptional()
const header = z.union([z.string(), z.number(), z.array(z.string())], HEADER)

const answer = z.strictObject(
  {
    status: z.int(STATUS).min(200, STATUS).max(599, STATUS),
    headers: z
      .record(z.string(), header, mustBe('an object of texts'))
      .superRefine((headers, context) => {
        for (const [name, value] of Object.entries(headers))
          if (!isSendable(name, value))
            // readJsonBody puts the header's name in front of this message
            context.addIssue({ code: 'custom', path: [name], message: 'or its value cannot be sent in a header' })
      })
      .exactOptional(),
    body: z
      .custom<string | object>((body) => typeof body === 'string' || (typeof body === 'object' && body !== null), BODY)
      .exactOptional(),
  },
  mustBe('an object with a status'),
)

function isSendable(name: string, value: HeaderValue): boolean {
  try {
    validateHeaderName(name)
    for (const text of [value].flat()) validateHeaderValue(name, String(text))
    return true
  } catch {
    return false
  }
}

/** The members of a Fault that JSON can say; types.ts describes each. */
export const faultSchema = z
  .strictObject(
    {
      table: z.string(TABLE).regex(TABLE_NAME, TABLE).exactOptional(),
      endpoint: z.enum(ENDPOINT_NAMES, mustBe(`one of ${ENDPOINT_NAMES.join(', ')}`)).exactOptional(),
      path: z.string(PATH).refine(isCallPath, PATH).exactOptional(),
      next: optionalCount,
      every: optionalCount,
      delay_ms: z.number(DELAY).min(0, DELAY).max(LONGEST_WAIT_MS, DELAY).exactOptional(),
      answer: answer.exactOptional(),
      reset: z.enum(['before', 'after'], mustBe('"before" or "after"')).exactOptional(),
    },
    mustBe('a JSON object'),
  )
  .refine(({ answer, delay_ms, reset }) => [answer, delay_ms, reset].some((effect) => effect !== undefined), {
    error: 'needs answer, delay_ms or reset',
  })
  .refine(({ answer, reset }) => answer === undefined || reset === undefined, {
    error: 'has answer or reset, not both',
  })
  .refine(({ next, every }) => next === undefined || every === undefined, { error: 'has next or every, not both' })
  .refine(({ table, endpoint, path }) => table === undefined || (endpoint === undefined && path === undefined), {
    error: 'has table, or endpoint and path: upserts have tables, calls have not',
  })
