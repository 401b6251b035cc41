// Finds the name that was probably meant by a wrong one. Pure.

/** Most names of one config for which a suggestion is made: more are not read, and they would cost more than all else for a config with a
 *  wrong name in each of its lines. */
export const MOST_SUGGESTIONS = 100
/** Letters of a name that are compared. */
const COMPARED = 64

/** Finds the name that was probably meant: the one name that `given` begins or ends, by more than half of its letters (`hash` means
 *  `hashed`, and `prefix` `table_prefix`); otherwise the one with the fewest edits, at most a third of the letters of `given`, or 1.
 *  @returns `undefined` when no name is near */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const text = normalised(given).slice(0, COMPARED)
  const longer = names.filter((name) => isMostOf(text, normalised(name)))
  if (longer.length === 1) return longer[0]
  let best: string | undefined
  let least = Math.max(1, Math.floor(text.length / 3)) + 1
  for (const name of names) {
    const distance = editDistance(text, normalised(name), least)
    if (distance >= least) continue
    least = distance
    best = name
  }
  return best
}

/** The question after the name of something that is not there, with a space in front; '' when no name is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const near = nearestName(given, names)
  return near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
}

/** The same question at the end of a clause, behind a colon; '' when no name is near. */
export function orMeant(given: string, names: readonly string[]): string {
  return didYouMean(given, names).replace(' Did', ': did')
}

function isMostOf(part: string, whole: string): boolean {
  return part.length > whole.length / 2 && (whole.startsWith(part) || whole.endsWith(part))
}

/** Case and separators are no difference worth counting: `importUrl` is `import_url`. */
function normalised(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Counts the insertions, deletions, replacements and swaps of neighbours from `a` to `b`; `limit` when there are at least as many. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let earlierRow: number[] = []
  let lastRow = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let edits = Math.min(lastRow[j]! + 1, row[j - 1]! + 1, lastRow[j - 1]! + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) edits = Math.min(edits, earlierRow[j - 2]! + 1)
      row.push(edits)
    }
    earlierRow = lastRow
    lastRow = row
  }
  return Math.min(limit, lastRow[b.length]!)
}
