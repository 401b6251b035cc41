// Every tuned number of the concurrency control, with its unit and what sets it.
//
// What sets a number:
//   bench ROW     a row of `npm run bench` or `npm run bench:adaptive` that gets worse without it
//   property T    a test of this folder, by its name, that fails without it
//   rule          it follows from a standard, from a decision, or from another number
//   judgement     chosen by reasoning; tests hold it, no benchmark is known to
// Whoever changes one runs `npm run bench:adaptive` before and after.

/** The number of permits (limit.ts). */
export const LIMIT = {
  /** Permits, at most: as many connections as the transport may open. Rule. */
  ceiling: 128,
  /** Permits, at the start and after a pause: what a small service can take within one round trip. Judgement. */
  start: 16,
  /** Share of a window. A process that is busy for more of it is the bottleneck itself, and more permits cost it memory and
   *  connections: it no longer doubles them. Bench small-dedup; not to zero growth at once, for busy with more permits it may
   *  still get a little faster: bench latency-5. */
  busy: 0.9,
  /** Factor a window once doubling is over; at least one permit. Judgement, as Vector's. */
  growth: 1.04,
  /** Factor at the first congestion of a doubling: one step back. Rule: half undoes a doubling. */
  firstCut: 0.5,
  /** Factor at any later congestion. Judgement. */
  laterCut: 0.75,
  /** Milliseconds between attempts while nothing succeeds; twice as long each time. Judgement. */
  firstProbeMs: 50,
  /** Milliseconds between them at most. Bench outage. */
  longestProbeMs: 1000,
  /** Milliseconds without a success, and with nothing but bad answers, that are an outage; less may be the rest of a second
   *  that a rate limiter counts by. Rule: longer than a second. */
  outageMs: 1500,
  /** Milliseconds after which another attempt starts where a few hang, fewer than at the start: the one that hangs may be lost,
   *  and would hold up everything until it times out. Rule: decisions.md#a-dead-service-is-probed-every-2-s. */
  hangingMs: 2000,
  /** Milliseconds without any call, and as multiples of the latency: then the process was stopped, or the service as a whole,
   *  and what was in flight took long for that reason. Judgement. */
  silenceMs: 1000,
  silenceLatencies: 4,
}

/** Whether a handful of permits is enough for a busy process (limit.ts). */
export const PROBE = {
  /** Permits: few enough to be harmless, enough to saturate a service that answers immediately. Bench small-long: without the
   *  probe 2 to 3 % more CPU, which is about that row's noise, and 3 MB more memory. */
  permits: 6,
  /** Share of a window that the process is busy: no more permits, and a try with the handful. Bench small-long. */
  fullyBusy: 0.97,
  /** Share: if it is still this busy with the handful, the handful is enough. Judgement. */
  stillBusy: 0.85,
  /** Milliseconds of mean latency: above it the delay is not ours, so fewer permits cannot help. Judgement. */
  quickMs: 50,
  /** Milliseconds between two tries, each of which may cost a window's speed. Judgement. */
  everyMs: 10_000,
  /** Shares, while the handful is enough: from `ample` on the permits shrink by the factor `fewer`, from `enough` on they
   *  stay, below it they grow by one, and below `slack` the handful is not enough any more. Judgement. */
  ample: 0.95,
  enough: 0.9,
  slack: 0.6,
  fewer: 0.85,
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
   *  wherever the queue is. At 2 ms a handful of requests keeps this process busy, and each further one costs memory and a
   *  connection. Bench small-dedup. */
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
  /** Factor of what was let through, after a refusal: a small step, as that is known. Bench cap-200. */
  stepBack: 0.95,
  /** Factor at least, whatever a single window's refusals: they may be due to other clients' bursts. Judgement. */
  leastKept: 0.5,
  /** Milliseconds after a cut until the rate is back where it was refused, and goes beyond (CUBIC, RFC 9438: flat around the
   *  known limit, then ever faster). About one probe in ten seconds, which costs a few refusals, or one pause of Retry-After.
   *  Bench cap-200, cap-200-retry-after. */
  plateauMs: 4000,
  /** Multiple: a rate is known when it is at most this many times what passed within a second. Judgement. */
  confirmed: 1.1,
  /** Milliseconds in which the rate doubles while its limit is not known. Judgement. */
  doublingMs: 2000,
  /** Milliseconds after a cut in which the measured rate still shows what was before the cut. Rule: it is measured over a
   *  second. */
  settledMs: 1000,
  /** Seconds: the shortest beginning of a run that is taken for a rate. Judgement. */
  shortestS: 0.05,
  /** Attempts a second, at least: something has to find out that there is room again. Rule:
   *  decisions.md#a-permit-is-for-one-attempt. */
  slowest: 1,
}

/** What makes a window of answers, and when it is congested (error-rate.ts). */
export const WINDOW = {
  /** Share of a window's answers that may be 429, 503 or timeouts: at thousands a second a single one is no sign; in windows
   *  of less than a hundred answers each one counts. Judgement. */
  tolerated: 0.01,
  /** Share, and least number, of other faults (500, 502, resets): a single one is about one request, not about load. Judgement. */
  faultsTolerated: 0.1,
  faultsAtLeast: 4,
  /** Milliseconds, however fast the service answers: a few milliseconds of answers are chance. Judgement. */
  shortestMs: 50,
  /** Answers that let a bad one end the window early. Judgement. */
  enough: 4,
}

/** Whether bad answers have nothing to do with how much is sent (error-rate.ts). Where no other source is named: judgement. */
export const BASELINE = {
  /** Bad answers, and milliseconds at least, that measure a share and a speed: what was sent before a cut comes back
   *  for a round trip. */
  sample: 8,
  sampleMs: 500,
  /** Answers: if this many hold fewer bad ones than `sample`, less than one in five hundred, there is nothing to measure.
   *  Property "does not end in a trickle", at one in a hundred. */
  sparse: 4000,
  /** Factors: with at most `slower` of what passed before, still at least `same` of the share is bad, … */
  slower: 0.85,
  same: 0.5,
  /** … this many times in a row: the first time it may have been a limiter's saved-up burst that came to its end. */
  times: 2,
  /** Good answers a millisecond that need not be gone below: there is no cutting below one attempt a second. */
  slowest: 0.002,
  /** Share: more is no baseline but an origin that is down, or the rest of a limiter's second. */
  most: 0.6,
  /** Factor: up to this much above what was measured is still the baseline. */
  margin: 1.5,
  /** Milliseconds after which it is measured anew, for it may be over. */
  validMs: 30_000,
  /** Standard errors above the baseline that refute it: there are up to twenty windows a second, and at two one of them would
   *  soon refute it by chance. Property "does not end in a trickle". */
  doubt: 4,
  /** Milliseconds after a refutation in which there is none again: it may have been chance, and cuts go on meanwhile. Property
   *  "does not end in a trickle". */
  refutedMs: 5000,
}
