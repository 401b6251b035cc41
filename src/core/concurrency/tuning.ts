// Every tuned number of the concurrency control, with its unit and what sets it.
//
// What sets a number:
//   bench ROW     a row of `npm run bench` or `npm run bench -- adaptive` that gets worse without it
//   property T    a test of this folder, by its name, that fails without it
//   rule          it follows from a standard, from a decision, or from another number
//   judgement     chosen by reasoning; tests hold it, no benchmark is known to
// Whoever changes one runs `npm run bench -- adaptive` before and after.

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
  /** Milliseconds between attempts while nothing succeeds; twice as long each time. Judgement. */
  firstProbeMs: 50,
  /** Milliseconds between them at most. Bench outage. */
  longestProbeMs: 1000,
  /** Milliseconds without a success, and with nothing but bad answers, that are an outage; less may be the rest of a second
   *  that a rate limiter counts by. Rule: longer than a second. */
  outageMs: 1500,
  /** Milliseconds after which another attempt starts where a few hang, for those may be lost. Rule:
   *  decisions.md#a-dead-service-is-probed-every-2-s. */
  hangingMs: 2000,
  /** Milliseconds without any call, and as multiples of the latency: then the process was stopped, or the service as a whole,
   *  and what was in flight took long for that reason. Judgement. */
  silenceMs: 1000,
  silenceLatencies: 4,
}

/** Whether answers take longer because too much is sent (latency.ts). */
export const LATENCY = {
  /** Successes that make a mean that lasts; fewer while the limit doubles, for there every window counts. Judgement. */
  samples: 16,
  samplesDoubling: 8,
  /** Successes, or twice the limit, that say whether there is room for more where the limit is small. Property "one after
   *  another, 100 ms": the first answers after a change still show what was before. */
  samplesLeast: 4,
  /** Successes after which a trial is over, though its outcome may be chance. Property "one after another, 22 ms". */
  samplesTrial: 64,
  /** Standard errors that a mean gets the benefit of. Rule: two are 95 %. */
  doubt: 2,
  /** The wait that is allowed above the base latency: a share of it, and milliseconds. Up to there the limit grows, beyond
   *  twice as much it is too high. Bench fifo: it follows from the row's bar on queueing. The share itself is judgement. */
  allowed: 0.5,
  allowedMs: 20,
  /** Milliseconds in place of `allowedMs` while the limit doubles: even this little is a sign that doubling no longer pays,
   *  wherever the queue is. Bench small-dedup. */
  allowedDoublingMs: 2,
  /** Slow means in a row before half the limit is tried: one is chance, or a garbage collection. Judgement. */
  strikes: 2,
  /** Factor: a mean or a limit that grew by more since the last time is not steady. Judgement. */
  steady: 1.1,
  /** Share of the rate that half the limit must keep to be enough. What is lost grows back while the wait is within what is
   *  allowed. Judgement: an uneven service is easily misjudged by less than that. */
  kept: 0.85,
  /** The base latency is seen again when a mean is within this multiple of it. Judgement. */
  seen: 1.25,
  /** It holds no queue of ours if it is seen at this multiple of the limit it was learnt at. Judgement. */
  more: 1.5,
  /** Milliseconds after which a base that was not seen again is looked for by trying half the limit (BBR's ProbeRTT); the
   *  least of a while alone would rise with a queue that never drains. Property "one after another, 22 ms": each trial costs some rate. */
  provenMs: 60_000,
}

/** How many attempts a second (rate.ts). */
export const RATE = {
  /** Milliseconds that a late caller may make up for: timers are a few milliseconds late and then several attempts are due; a
   *  process that slept for seconds is not owed a burst. Judgement. */
  makeUpMs: 10,
  /** Slots that the last second is counted in, a power of two. Judgement. */
  slots: 16,
  /** Share of what passes that is left after a refusal; less brings many processes to equal rates sooner. Fleet "50 each". */
  kept: 0.9,
  /** Factor at least, whatever passes: it is measured over a second, and less may have been sent. Judgement. */
  leastKept: 0.5,
  /** Milliseconds without a refusal that make the rate e times what it was: with `kept` one in six seconds. Fleet "10 each". */
  growMs: 14_000,
  /** Milliseconds of growth that are skipped where the rate is in doubt: it then grows by 35 % a second. Test "most of the rate
   *  within seconds". */
  doubtMs: 17_000,
  /** Attempts that the time of one is a mean of. With 16, chance is taken for room: alone "16 at once". */
  trips: 64,
  /** Attempts a second that the rate grows by in each second, equal for all. Fleet "100 each, 429, second". */
  step: 0.25,
  /** Milliseconds between two attempts, at most, that count as waiting for the rate; a second of a display. Rule. */
  waitMs: 1000,
  /** Seconds: the shortest beginning of a run that is taken for a rate. Judgement. */
  shortestS: 0.05,
  /** Attempts a second, at least: something has to find out that there is room again. Rule:
   *  decisions.md#a-permit-is-for-one-attempt. */
  slowest: 1,
}

/** What makes a window of answers (limit.ts). */
export const WINDOW = {
  /** Milliseconds, however fast the service answers: a few milliseconds of answers are chance. Judgement. */
  shortestMs: 50,
  /** Answers, all bad, that end a window early. Judgement. */
  enough: 4,
}

/** Whether faults come of load (faults.ts). Alone and fleet are rows of `npm run simulate -- --fleet`, with and without `--alone`. */
export const FAULTS = {
  /** Share of the answers that may be faults: 2 % of refusals is the most that a law allows. */
  tolerated: 0.015,
  /** Faults that the allowance holds: with fewer, a share of 1 % spends it by chance every few seconds. */
  atOnce: 8,
  /** Factor: up to this much above the baseline is still the baseline. At 2, a fleet stays at a limit of 503s without noticing:
   *  fleet "100 each, 503, bucket". */
  margin: 1.5,
  /** Factor: a baseline that grew by more since it was found was none. At 1.5 chance does it: model test "10 % of 503, 200 ms". */
  grown: 2,
  /** Faults that make a share. With 8, one run in five takes a baseline of 10 % for one that grew: alone "10 % of 503". */
  sample: 24,
  /** Milliseconds that a share is measured for. At least a second, as a limiter may count by it; at most,
   *  fleet "10 each, 503", where nobody may ask. */
  leastMs: 1000,
  mostMs: 3000,
  /** Share: more is no baseline but a limit, or an origin that is down. At 0.5, a fleet stays at a limit: fleet "100 each, 503,
   *  bucket". */
  most: 0.4,
  /** Milliseconds after which a baseline is found anew. At 15 s one member takes what 49 others leave to it: fleet "100 each, 503,
   *  bucket"; at 10 s, asking costs too much: alone "3 % of 503, 200 ms". */
  believedMs: 12_000,
  /** Milliseconds in which no baseline is believed in after one that grew with what was sent. Fleet "50 each, 503, bucket". */
  doubtMs: 60_000,
  /** Share of the rate where faults are suspected of a limit: below it they are asked again. Rule: less than any single cut. */
  near: 0.7,
  /** Share of the faults: if less of them is left there, they come of load. Judgement. */
  fallen: 0.5,
}
