// What an HTTP status means for each kind of request, in one table (decisions.md#each-status-has-one-meaning,
// decisions.md#who-asks-decides-about-a-status). Messages about it are in status-messages.ts.

/** The meanings of a status, by the kind of request. `check` also serves for a request to a proxy for a tunnel.
 *  - done: carried out
 *  - retry: not carried out, and another attempt may succeed
 *  - retry?: the same, but it may have been carried out
 *  - refused: what was sent is not accepted; of an upsert, one of its records may be the reason
 *  - split: too much was sent at once
 *  - stop: something has to be changed: the configuration, or what the client may do
 *  - redirect: the address has to be changed, because redirects are not followed
 *  - redirect?: the same, but it may have been carried out
 *  - later: a later run may succeed with nothing changed
 *  - answer: an answer about what was asked for
 *  - unknown: HTTP has no such status */
type Row = readonly [
  upsert: 'done' | 'retry' | 'retry?' | 'refused' | 'split' | 'stop' | 'later' | 'unknown',
  check: 'done' | 'retry' | 'stop' | 'unknown',
  onboarding: 'done' | 'retry' | 'retry?' | 'refused' | 'redirect' | 'redirect?' | 'unknown',
  registry: 'answer' | 'retry',
]

const COLUMNS = { upsert: 0, check: 1, onboarding: 2, registry: 3 } as const

type Column = keyof typeof COLUMNS

/** A status without a row uses the row of its hundred, or 'other'. */
// prettier-ignore
const TABLE: Readonly<Record<string, Row>> = {
  //       upsert     check     onboarding registry
  '2xx':  ['done',    'done',   'done',    'answer'],
  // a page may redirect a POST after it has carried it out
  '3xx':  ['stop',    'stop',   'redirect?', 'answer'],
  // these two ask for the same request elsewhere, so it was not carried out
  '307':  ['stop',    'stop',   'redirect',  'answer'],
  '308':  ['stop',    'stop',   'redirect',  'answer'],
  '4xx':  ['stop',    'stop',   'refused', 'answer'],
  '400':  ['refused', 'stop',   'refused', 'answer'],
  '408':  ['retry',   'retry',  'retry',   'retry'],
  '409':  ['later',   'stop',   'refused', 'answer'],
  '413':  ['split',   'stop',   'refused', 'answer'],
  '422':  ['refused', 'stop',   'refused', 'answer'],
  '423':  ['later',   'stop',   'refused', 'answer'],
  '425':  ['later',   'stop',   'refused', 'answer'],
  '429':  ['retry',   'retry',  'retry',   'retry'],
  // For onboarding, all of these leave open whether it was carried out: what it creates must not be created twice. An upsert may be
  // repeated, so for it only what gateways answer is in doubt.
  '5xx':  ['retry',   'retry',  'retry?',  'retry'],
  // registries answer so for a path that they do not have
  '501':  ['retry',   'retry',  'retry?',  'answer'],
  '502':  ['retry?',  'retry',  'retry?',  'retry'],
  '504':  ['retry?',  'retry',  'retry?',  'retry'],
  // what Cloudflare answers in place of 502 or 504
  '520':  ['retry?',  'retry',  'retry?',  'retry'],
  '522':  ['retry?',  'retry',  'retry?',  'retry'],
  '524':  ['retry?',  'retry',  'retry?',  'retry'],
  'other': ['unknown', 'unknown', 'unknown', 'answer'],
}

const OTHER_ROW = TABLE['other']!
/** Rows by status, computed once, because one is read for each attempt. */
const ROWS = Array.from(
  { length: 600 },
  (_, status) => TABLE[status] ?? TABLE[`${Math.floor(status / 100)}xx`] ?? OTHER_ROW,
)

/** The meaning of a status, of any number, for the kind of request that `column` names. */
export function meaningOf<C extends Column>(status: number, column: C): Row[(typeof COLUMNS)[C]] {
  return (ROWS[status] ?? OTHER_ROW)[COLUMNS[column]]
}
