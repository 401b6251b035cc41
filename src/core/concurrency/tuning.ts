// Every tuned number of the concurrency control, with its unit and what sets it.
//
// What sets a number:
//   bench ROW     a row of `npm run bench` or `npm run bench -- adaptive` that gets worse without it
//   property T    a test of this folder, by its name, that fails without it
//   worlds ROW    a row of `npm run simulate -- --worlds` that fails or gets worse without it; fleet ROW: the same with `-- --fleet`
//   rule          it follows from a standard, from a decision, or from another number
//   judgement     chosen by reasoning; tests hold it, no benchmark is known to
// Whoever changes one runs `npm run bench -- adaptive` before and after.

/** Milliseconds that limiters count by. So it is the least time between two faults that count as refusals, and the most that a caller
 *  waits without it being a silence. */
export const SECOND_MS = 1000

/** Milliseconds after which what was learnt is doubted: a base latency that was not seen again is looked for by trying half the limit
 *  (BBR's ProbeRTT; the least of a while alone would rise with a queue that never drains), and a rate that held nothing back is
 *  forgotten. Property "one after another, 22 ms": each trial costs some rate. */
export const DOUBTED_MS = 60_000

/** The number of permits (limit.ts). */
export const LIMIT = {
  /** Permits, at most: as many connections as the transport may open. Rule. */
  ceiling: 128,
  /** Permits, at the start and after a pause: what a small service can take within one round trip. Judgement. */
  start: 16,
  /** Share of a window. A process that is busy for more of it is the bottleneck itself, and no longer doubles its permits. Bench
   *  small-dedup; it still grows slowly, for with more permits it may get a little faster: bench latency-5. */
  busy: 0.9,
  /** Factor a window once doubling is over; at least one permit. Judgement, as Vector's. */
  growth: 1.04,
  /** Milliseconds without a success, and with nothing but bad answers, that are an outage; less may be the rest of a second
   *  that a rate limiter counts by. Rule: longer than a second. */
  outageMs: 1500,
  /** Multiple of the latency, and a second at least, without any call. Then the process was stopped, or the service as a whole, and
   *  what was in flight took long for that reason. Judgement. */
  silenceLatencies: 4,
  /** Milliseconds: the shortest window of answers, the shortest beginning of a run that gives a rate, and the pause between two
   *  probes before it doubles; less is chance. Judgement. */
  shortestMs: 50,
}

/** Whether answers take longer because too much is sent (latency.ts). */
export const LATENCY = {
  /** Successes that make a mean that lasts; half of them while the limit doubles, as every window counts then. Judgement.
   *  Where the limit is small, a quarter of them, or twice the limit, says whether there is room for more. Property "one after another,
   *  100 ms": the first answers after a change still show what was before. */
  samples: 16,
  /** Successes after which a trial is over, though its outcome may be chance. Property "one after another, 22 ms". */
  samplesTrial: 64,
  /** Standard errors by which a mean may be wrong. Rule: two are 95 %. */
  doubt: 2,
  /** The wait that is allowed above the base latency: a share of it, and milliseconds. Up to there the limit grows, beyond
   *  twice as much it is too high. Bench fifo: it follows from the row's bar on queueing. The share itself is judgement. */
  allowed: 0.5,
  allowedMs: 20,
  /** Milliseconds in place of `allowedMs` while the limit doubles: even this little is a sign that doubling no longer pays,
   *  wherever the queue is. Bench small-dedup. */
  allowedDoublingMs: 2,
  /** Milliseconds for which enough seems to be sent before half the limit is tried: the service may have become slower. Worlds "a line". */
  highMs: 20_000,
  /** Factor: a mean or a limit that grew by more since the last time is not steady. Judgement. */
  steady: 1.1,
  /** Share of the rate that half the limit must keep to be enough. What is lost grows back while the wait is within what is
   *  allowed. Judgement: an uneven service is easily misjudged by less than that. */
  rateKept: 0.85,
  /** The base latency is seen again when a mean is within this multiple of it. Judgement. */
  seenWithin: 1.25,
  /** It holds no queue of ours if it is seen at this multiple of the limit it was learnt at. Judgement. */
  provenAtMultiple: 1.5,
}

/** How many attempts a second (rate.ts). */
export const RATE = {
  /** Milliseconds that a late caller may make up for: timers are a few milliseconds late and then several attempts are due; a
   *  process that slept for seconds is not owed a burst. Judgement. */
  makeUpMs: 10,
  /** Slots that the last second is counted in. Judgement. */
  slots: 16,
  /** Share of what passes that is left after a refusal; less brings many processes to equal rates sooner. Fleet "50 each". */
  keptOfPassing: 0.9,
  /** Factor at least, whatever passes: it is measured over a second, and less may have been sent. Judgement. */
  keptAtLeast: 0.5,
  /** Milliseconds without a refusal that make the rate e times what it was: with `keptOfPassing` one in six seconds. Fleet "10 each". */
  growMs: 14_000,
  /** Milliseconds of growth that are skipped in the first second of a run: it then grows by 35 % a second. Test "most of the rate
   *  within seconds". */
  doubtMs: 17_000,
  /** Factor: the rate grows no further above what passes. Worlds "limit, timeout"; "503 to what is beyond 4 in flight". */
  mostAhead: 2,
  /** Milliseconds of growth that are skipped after a refusal that may have been chance: it then grows by a tenth in three seconds. At
   *  6 s, one of ten members takes most: fleet "50 each, 503". */
  suspectedMs: 2500,
  /** Attempts a second that the rate grows by in each second, equal for all. Fleet "100 each, 429, second". */
  step: 0.25,
  /** Attempts a second, at least: something has to find out that there is room again. Rule: decisions.md#a-permit-is-for-one-attempt. */
  slowest: 1,
}

/** Which faults are refusals (faults.ts). */
export const FAULTS = {
  /** Share of the answers that may be faults, at least and at most: with less, chance is taken for load where a rate is low; more
   *  is refused at limits that say only 503. Worlds "no limit, faults"; at most: rule, assumptions of random failures. */
  leastTolerated: 0.05,
  mostTolerated: 0.25,
  /** Factor: up to this much above what failed where least was sent is chance too. Worlds "no limit, faults". */
  margin: 1.5,
  /** Faults that the allowance holds. Worlds "no limit, faults". */
  atOnce: 8,
  /** Faults more than were seen in a stretch: of few answers, fewer may have failed than are bound to. Worlds "no limit, faults". */
  unseen: 2,
  /** How many stretches are looked at, and how long each is at least, in milliseconds and in answers. With fewer answers, the
   *  slowest one of few shows chance. Worlds "no limit, faults"; fleet "10 each, 503". */
  stretches: 3,
  stretchMs: 2500,
  stretchAnswers: 40,
}
