// The name that was probably meant. Pure.

/** Most suggestions: more are not read, and they cost more than anything else of a config with a wrong name in each
 *  of its lines. */
export const MOST_SUGGESTIONS = 100
/** Letters of a name that are compared. */
const COMPARED = 64

/** The name with the fewest edits from `given`, at most a third of its letters or 1. Before it comes the one name that `given` begins or
 *  ends, by more than half of its letters: `hash` means `hashed`, and `prefix` `table_prefix`.
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

/** The same question at the end of a clause. */
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

/** Insertions, deletions, replacements and swaps of neighbours; `limit` when there are at least as many. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, before[j - 2]! + 1)
      row.push(edits)
    }
    before = last
    last = row
  }
  return Math.min(limit, last[b.length]!)
}
