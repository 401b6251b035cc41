// Every tuned number of the concurrency control, with its unit and what sets it.
//
// What sets a number:
//   bench ROW     a row of `npm run bench` or `npm run bench -- adaptive` that gets worse without it
//   property T    a test of this folder, by its name, that fails without it
//   worlds ROW    a row of `npm run simulate -- --worlds` that fails or gets worse without it; fleet ROW: the same with `-- --fleet`
//   rule          it follows from a standard, from a decision, or from another number
//   judgement     chosen by reasoning; tests hold it, no benchmark is known to
// Whoever changes one runs `npm run bench -- adaptive` before and after.

/** Milliseconds that a limiter of the service counts by. So it is the least time between two faults that count as refusals, and the least
 *  time without a call that is a silence. */
export const SECOND_MS = 1000

/** Milliseconds after which what was learnt is doubted. A base latency (with no queue of ours) that was not seen again is looked for by
 *  trying half the limit, like BBR's ProbeRTT, because the least of recent latencies would rise with a queue that never drains. A rate that
 *  held nothing back is forgotten. Property "one after another, 22 ms": each trial costs some rate. */
export const DOUBTED_MS = 60_000

/** The number of permits (limit.ts). */
export const LIMIT = {
  /** Permits, at most: as many connections as the transport may open. Rule. */
  ceiling: 128,
  /** Permits, at the start and after a pause: what a small service can take within one round trip. Judgement. */
  start: 16,
  /** Share of a window (the answers of about one round trip). A process that is busy for more of it is the bottleneck itself, and no longer
   *  doubles its permits. Bench small-dedup. It still grows slowly, as more permits may make it a little faster: bench latency-5. */
  busy: 0.9,
  /** Factor by which the permits grow in a window once doubling is over; at least one is added. Judgement, as Vector's. */
  growth: 1.04,
  /** Milliseconds without a success, and with nothing but bad answers, that are an outage. Fewer may be the rest of a second in which a
   *  limiter that counts by the second refuses all. Rule: longer than a second. */
  outageMs: 1500,
  /** Multiple of the latency, and a second at least, that is a silence if no call comes. Then the process was stopped, or the service as a
   *  whole, and what was in flight took long for that reason. Judgement. */
  silenceLatencies: 4,
  /** Milliseconds: the shortest window, the shortest beginning of a run from which a rate is estimated, and half the first pause between
   *  attempts in an outage, where pauses double. Less shows chance. Judgement. */
  shortestMs: 50,
}

/** Whether answers take longer because too much is sent (latency.ts). */
export const LATENCY = {
  /** Successes whose mean latency is trusted; half as many while the limit doubles, as every window counts then. Judgement. Where the limit
   *  is small, a quarter of them, or twice the limit, says whether there is room for more. Property "one after another, 100 ms": the first
   *  answers after a change still show what was before. */
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
  /** Milliseconds without a mean that shows room for more until half the limit is tried: the service may be slower. Worlds "a line". */
  highMs: 20_000,
  /** Factor: a mean latency or a limit that grew by more since the last mean is not steady. Judgement. */
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
  /** Slots of time in which what passes in the last second is counted. Judgement. */
  slots: 16,
  /** Share of what passes that is left after a refusal; less brings many processes to equal rates sooner. Fleet "50 each". */
  keptOfPassing: 0.9,
  /** Share of the rate that is left at least, whatever passes: in the second that counts, less may have been sent. Judgement. */
  keptAtLeast: 0.5,
  /** Milliseconds without a refusal that make the rate e times what it was: with `keptOfPassing`, one in six seconds. Fleet "10 each". */
  growMs: 14_000,
  /** Milliseconds of growth that are skipped for a new rate: it then grows by 35 % a second. Test "most of the rate within seconds". */
  doubtMs: 17_000,
  /** Multiple of what passes beyond which the rate does not grow. Worlds "limit, timeout"; "503 to what is beyond 4 in flight". */
  mostAhead: 2,
  /** Milliseconds of growth that are skipped after a refusal that may have been chance: the rate then grows by a tenth in three seconds.
   *  At 6 s, one of ten members takes most: fleet "50 each, 503". */
  suspectedMs: 2500,
  /** Attempts a second that the rate grows by in each second, equal for all. Fleet "100 each, 429, second". */
  step: 0.25,
  /** Attempts a second, at least: something has to find out that there is room again. Rule: decisions.md#a-permit-is-for-one-attempt. */
  slowest: 1,
}

/** Which faults are refusals (faults.ts). */
export const FAULTS = {
  /** Share of the answers that may be faults, at least and at most. With less, chance would be taken for load where a rate is low; a limit
   *  that answers only 503 refuses more. Worlds "no limit, faults"; at most: rule, assumptions of random failures. */
  leastTolerated: 0.05,
  mostTolerated: 0.25,
  /** Factor for the share that failed where least was sent: up to that, faults are chance. Worlds "no limit, faults". */
  margin: 1.5,
  /** Faults that the allowance holds. Worlds "no limit, faults". */
  atOnce: 8,
  /** Faults that are added to those seen in a stretch, as of few answers fewer may fail by luck. Worlds "no limit, faults". */
  unseen: 2,
  /** How many stretches (answers in a row) are compared, and how long each is at least, in milliseconds and in answers. With fewer answers,
   *  the slowest stretch shows chance. Worlds "no limit, faults"; fleet "10 each, 503". */
  stretches: 3,
  stretchMs: 2500,
  stretchAnswers: 40,
}
