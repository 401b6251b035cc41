// Endpoint A5: a client's name and properties (service-interface.md#a5-set-the-properties).

import { z } from 'zod'
import { json } from '../answers.ts'
import type { Answer } from '../types.ts'
import { onClient } from './call.ts'
import type { Call } from './call.ts'
import type { Onboarding } from './onboarding.ts'
import { flag, members, must, readJson, text, textOrNull } from './read-json.ts'

const ZERO_OR_ONE = z.enum(['0', '1'], must('"0" or "1"'))

const BODY = members({
  name: text,
  properties: members({
    blackout_hours: text,
    default_currency: z.string(must('a currency code')).regex(/^[A-Z]{3}$/, must('a currency code')),
    forced_update_hours: text,
    has_guest_checkout: ZERO_OR_ONE,
    has_privacy_protection: textOrNull,
    hosted_warehouse: textOrNull,
    is_implemented: flag,
    shop_store_db_name: text,
    shop_store_table_prefix: text,
    shop_version: text,
    perform_updates: ZERO_OR_ONE,
    phone_number: textOrNull,
    stale_email_summary_action: text,
    timezone: z.string(must('an IANA zone name')).refine(isZone, must('an IANA zone name')),
    website_url: textOrNull,
    week_start_day: z.string(must('a day number as a string')).regex(/^[0-7]$/, must('a day number as a string')),
  }),
})

/** A5. What the document does not show: the answer is the client as it is now. */
export function changeClient(call: Call, onboarding: Onboarding): Answer {
  return onClient(call, onboarding, (client) => {
    const read = readJson(call, BODY)
    if ('refused' in read) return read.refused
    const changed = { ...client, ...read.value }
    onboarding.records.keep(['client', client.id, changed])
    return json(200, { id: changed.id, name: changed.name, properties: changed.properties })
  })
}

function isZone(name: string): boolean {
  // Intl also takes offsets such as +01:00, which name no zone.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
