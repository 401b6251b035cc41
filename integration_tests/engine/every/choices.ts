// Choices instead of chance: a history is the list of its choices, and the lists are gone through depth first. Knows nothing of
// what there is to choose.

/** What was chosen in one history. */
export class Choices {
  /** Of each place where there was more than one option: which was taken, how many there were, and how many of them, the
   *  first ones, are plain. All others depart from the plain course. */
  readonly taken: number[] = []
  readonly sizes: number[] = []
  readonly plain: number[] = []
  readonly #given: readonly number[]

  /** @param given what to take, place by place; where it ends, or names no option: the first */
  constructor(given: readonly number[]) {
    this.#given = given
  }

  choose<T>(options: readonly T[], plain = 1): T {
    if (options.length === 1) return options[0]!
    const given = this.#given[this.taken.length] ?? 0
    const index = given < options.length ? given : 0
    this.taken.push(index)
    this.sizes.push(options.length)
    this.plain.push(plain)
    return options[index]!
  }

  /** The next list, depth first: its first `depth` places suffice to tell it from this one.
   *  @param most departures at most
   *  @returns undefined after the last */
  next(most: number, depth = this.taken.length): number[] | undefined {
    const { taken, sizes, plain } = this
    let last: number | undefined
    let departures = 0
    for (let at = 0; at < Math.min(depth, taken.length); at++) {
      const after = taken[at]! + 1
      if (after < sizes[at]! && departures + Number(after >= plain[at]!) <= most) last = at
      departures += Number(taken[at]! >= plain[at]!)
    }
    return last === undefined ? undefined : [...taken.slice(0, last), taken[last]! + 1]
  }
}

/** A list as short and as plain as can be found that does the same, by leaving choices out. */
export async function shrink(
  choices: readonly number[],
  isSame: (choices: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  const best = trimmed(choices)
  for (let at = best.length - 1; at >= 0; at--)
    for (const shorter of [best.toSpliced(at, 1), best.toSpliced(at, 1, 0)].map(trimmed))
      if (shorter.join() !== best.join() && (await isSame(shorter))) return shrink(shorter, isSame)
  return best
}

function trimmed(choices: readonly number[]): readonly number[] {
  return choices.slice(0, choices.findLastIndex((index) => index > 0) + 1)
}
