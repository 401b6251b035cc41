// The outages of a run that were logged, of all its servers.

export interface ListedOutage {
  /** The beginning, by the run's clock. */
  readonly from: number
  /** `undefined` while it goes on. */
  to: number | undefined
  /** The cause, for people. */
  readonly cause: string
  /** host:port */
  readonly host: string
}

const MOST = 100

export class OutageList {
  /** The last ones, in the order they were noticed. */
  readonly all: ListedOutage[] = []

  began(host: string, cause: string, from: number): ListedOutage {
    const outage = { from, to: undefined, cause, host }
    if (this.all.push(outage) > MOST) this.all.shift()
    return outage
  }
}
