// Finds the name that was probably meant by a wrong one. Pure.

/** Most wrong names of one config for which callers ask: no more suggestions are read, and a config full of wrong names would take long. */
export const MOST_SUGGESTIONS = 100
/** Letters of a wrong name that are compared: the first ones. */
const COMPARED = 64

/** Finds the one of `names` that was probably meant. If a single name begins or ends with `given`, which is more than half of it, that is
 *  it: `hash` means `hashed`, and `prefix` `table_prefix`. Otherwise the one that the fewest edits lead to: at most one for every three
 *  letters of `given`, or one. `undefined` when no name is near. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const text = normalised(given).slice(0, COMPARED)
  const longer = names.filter((name) => isMostOf(text, normalised(name)))
  if (longer.length === 1) return longer[0]
  let best: string | undefined
  let tooMany = Math.max(1, Math.floor(text.length / 3)) + 1
  for (const name of names) {
    const distance = editDistance(text, normalised(name), tooMany)
    if (distance >= tooMany) continue
    tooMany = distance
    best = name
  }
  return best
}

/** Words to put behind the sentence that `given` is not known: ` Did you mean "x"?`, or '' when no name is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const near = nearestName(given, names)
  return near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
}

/** The same to end a clause: `: did you mean "x"?`, or '' when no name is near. */
export function orMeant(given: string, names: readonly string[]): string {
  return didYouMean(given, names).replace(' Did', ': did')
}

function isMostOf(part: string, whole: string): boolean {
  return part.length > whole.length / 2 && (whole.startsWith(part) || whole.endsWith(part))
}

/** Takes out case and separators, because they are no difference worth counting: `importUrl` is `import_url`. */
function normalised(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Counts the insertions, deletions, replacements and swaps of neighbours from `a` to `b`, up to `limit`. In the row of `i`, at `j`, are
 *  those from the first `i` letters of `a` to the first `j` of `b`. */
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
