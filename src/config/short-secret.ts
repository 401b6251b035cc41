// Whether a secret is so short that hiding it does harm, or is not done at all. Knows not where it is hidden (telemetry).

/** Shorter ones are not looked for (secrets/patterns.ts): they would blot out every text. */
const LEAST = 3
/** Shorter ones are likely to be part of an ordinary word. */
const FEW = 8

/** What to say of a secret that is short; undefined: it is not. */
export function shortSecret(secret: string): string | undefined {
  if (secret.trim().length >= FEW) return undefined
  if (secret.length < LEAST)
    return `is shorter than ${LEAST} characters, too short to be masked: messages may show it. Use a longer one`
  return `is shorter than ${FEW} characters: it is masked wherever these characters stand, inside other words too, so messages may be hard to read. Use a longer one`
}
