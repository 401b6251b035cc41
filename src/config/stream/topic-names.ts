// Names of topics, and patterns for them. Pure.

/** A pattern is tried on every topic's name: it cannot be long, though a short one may be slow too. */
const MAX_PATTERN = 256

/** What a broker takes as a name. */
export function isTopicName(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,249}$/.test(text) && text !== '.' && text !== '..'
}

/** undefined: it can be used. */
export function patternProblem(text: string): string | undefined {
  // too_big is told already
  if (text.length > MAX_PATTERN) return undefined
  try {
    RegExp(text, 'u')
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? (/[^:]*$/.exec(error.message)?.[0] ?? '').trim() : ''
    return `is not a regular expression: ${reason}`
  }
}

/** Of brokers themselves. */
const INTERNAL = ['__consumer_offsets', '__transaction_state', '__share_group_state']

/** For whole names; never internal topics, nor `except`. `text` has no problem. */
export function wholeNames(text: string, except: readonly string[]): RegExp {
  const never = [...INTERNAL, ...except].map((name) => name.replaceAll('.', String.raw`\.`))
  return new RegExp(`^(?!(?:${never.join('|')})$)(?:${text})$`, 'u')
}
