// Which of a user's choices for single streams hold for a stream, and which hold for none.

import type { StreamOverride } from '../config/write-config.ts'

/** The override that holds for a stream: its very namespace first, then its name alone. */
export function overrideOf(
  stream: { readonly name: string; readonly namespace: string | undefined },
  overrides: readonly StreamOverride[],
): StreamOverride | undefined {
  const named = overrides.filter(({ name }) => name === stream.name)
  return (
    named.find(({ namespace }) => namespace === stream.namespace) ??
    named.find(({ namespace }) => namespace === undefined)
  )
}

/** Sentences about overrides that no stream takes: a name misspelt, or a stream of another connection. */
export function unusedOverrides(
  streams: readonly { readonly name: string; readonly namespace: string | undefined }[],
  overrides: readonly StreamOverride[],
): string[] {
  const used = new Set(streams.map((stream) => overrideOf(stream, overrides)))
  const names = new Set(streams.map(({ name }) => name))
  return overrides
    .filter((override) => !used.has(override))
    .map(({ name, namespace }) => {
      const of = namespace === undefined ? '' : ` of namespace ${JSON.stringify(namespace)}`
      if (namespace === undefined && names.has(name))
        return `The entry of \`streams\` for ${JSON.stringify(name)} holds for no stream: each of that name has an entry with its namespace.`
      const there = meant(name, names)
      const has = there === undefined ? '' : ` It has ${JSON.stringify(there)}: is that meant?`
      return `The entry of \`streams\` for ${JSON.stringify(name)}${of} fits no stream of this catalog.${has}`
    })
}

/** The one that differs in case, separators and blanks only. */
function meant(name: string, names: ReadonlySet<string>): string | undefined {
  return [...names].find((there) => bare(there) === bare(name))
}

function bare(text: string): string {
  return text.toLowerCase().replaceAll(/[\s._-]/g, '')
}
