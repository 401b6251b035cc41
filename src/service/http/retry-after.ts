// How long an answer asks us to wait. Pure; knows no outcome.

const DATE = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]*,? /

/** Milliseconds from `now` (milliseconds since 1970), never negative; undefined when the header says nothing usable:
 *  whole seconds and HTTP dates count, anything else is ignored. Source: RFC 9110, 10.2.3. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  const text = value?.trim()
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER)
  if (!DATE.test(text)) return undefined
  // The oldest of the three date forms names no zone; all three mean GMT.
  const date = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
