// Masks the secrets in a body that is kept for the page: all values except those of members that are known to be harmless.

import { percentDecoded } from './path-table.ts'

/** Bytes of the longest body that is shown at all. */
const MAX_MASKED = 1024 * 1024

const MASK = '******'
/** Names of members of onboarding requests (service-interface.md#onboarding-requests) and of answers whose values are no secrets. All else
 *  is masked: a secret that is shown costs more than a value that is not. */
const HARMLESS: ReadonlySet<string> = new Set(
  `username grant_type scope clientId expires_in token_type code message reasons status state pipeline_state
  tier company first_name last_name email role shop customer_id subscription_id signup_id client_id user_id
  force_create client_rights admin billing readonly technical name display_name type integration_type properties
  blackout_hours default_currency has_guest_checkout is_implemented shop_store_db_name shop_store_table_prefix
  timezone week_start_day dbName host port sourceTZ desiredTZ useSSL connections connection_id database table_prefix
  package db id job_id jobs created_at updated_at expires_at established started phase frequency jobType workload workload[connectionId] workload[syncAndSample] data user client`.split(
    /\s+/,
  ),
)
/** Member names that are shown; any other may be a secret itself. */
const SHOWN_NAME = /^\w{1,40}$/

/** The text of a body, with stars for what may be secret. Only the size of a body that is too long, or neither JSON nor a form. */
export function maskedBody(body: Buffer): string {
  const text = body.length > MAX_MASKED ? '' : body.toString()
  const shown = maskedJson(text) ?? maskedForm(text)
  return shown ?? `(${body.length} bytes are not shown: secrets in them cannot be found)`
}

function maskedJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? JSON.stringify(masked(value, { isHarmless: false })) : undefined
  } catch {
    return undefined
  }
}

/** Copies parsed JSON with masked values.
 *  @param isHarmless whether the member that holds the value is one of HARMLESS */
function masked(value: unknown, { isHarmless }: { readonly isHarmless: boolean }): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((item) => masked(item, { isHarmless }))
  if (typeof value !== 'object') return isHarmless ? value : MASK
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) =>
      HARMLESS.has(name) ? [name, masked(member, { isHarmless: true })] : [SHOWN_NAME.test(name) ? name : MASK, MASK],
    ),
  )
}

/** A form: `name=value` pairs, without white space in values, which other texts are likely to have. */
const FORM = /^(?:[\w.%+[\]-]+=[^&=\s]+(?:&|$))+$/

function maskedForm(form: string): string | undefined {
  if (!FORM.test(form)) return undefined
  return form.replaceAll(/([^&=]+)=([^&]*)/g, (pair, name: string) =>
    HARMLESS.has(percentDecoded(name) ?? '') ? pair : `${name}=${MASK}`,
  )
}
