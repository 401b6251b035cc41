// What a soak did, in numbers.

export class Figures {
  records = 0
  rounds = 0
  runs = 0
  kills = 0
  terms = 0
  /** Runs that went on from a state. */
  resumes = 0
  /** Runs that gave up because the service did not come back in time. */
  givenUp = 0
  states = 0
  restarts = 0
  scheduled = 0
  /** Scheduled faults that no request came for. */
  unmet = 0
  rejected = 0
  rows = 0

  inWords(minutes: number): string {
    const {
      records,
      rounds,
      runs,
      kills,
      terms,
      resumes,
      givenUp,
      states,
      restarts,
      scheduled,
      unmet,
      rejected,
      rows,
    } = this
    return [
      `${minutes.toFixed(1)} minutes`,
      `${rounds} rounds`,
      `${records} records`,
      `${runs} runs of write`,
      `${kills} kills of write`,
      `${terms} terminations`,
      `${givenUp} given up`,
      `${resumes} resumes`,
      `${restarts} restarts of the service`,
      `${scheduled} scheduled faults`,
      `${scheduled - unmet} that hit`,
      `${states} states`,
      `${rejected} rejected records kept`,
      `${rows} rows compared`,
    ].join(', ')
  }
}
