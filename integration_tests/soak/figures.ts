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
    return [
      `${minutes.toFixed(1)} minutes`,
      `${this.rounds} rounds`,
      `${this.records} records`,
      `${this.runs} runs of write`,
      `${this.kills} kills of write`,
      `${this.terms} terminations`,
      `${this.givenUp} given up`,
      `${this.resumes} resumes`,
      `${this.restarts} restarts of the service`,
      `${this.scheduled} scheduled faults`,
      `${this.scheduled - this.unmet} that hit`,
      `${this.states} states`,
      `${this.rejected} rejected records kept`,
      `${this.rows} rows compared`,
    ].join(', ')
  }
}
