// The panel of the last requests, newest first and filtered; each opens in a dialog with its bodies. The list does not change while it is
// paused, while a cell of it has the focus, or while the dialog is open.

import { askJson } from './ask.js'
import { curlOf } from './curl.js'
import { addOptions, byId, copy, element, onClick, say, show } from './dom.js'
import { bytes, count, counted, decimal, moment } from './format.js'
import { fillGrid, isWalked } from './grid.js'
import { openTable } from './rows.js'
import { showParts } from './value.js'
import { bindField, onView, param, setParams, showPanel, shownPanel } from './view.js'

/**
 * A request as the overview has it (live-requests.ts).
 * @typedef {{ n: number, at: number, method: string, path: string, status: number | 'reset' | 'aborted', ms: number, points: number,
 *   bytes: number, reason?: string }} LiveRequest
 * @typedef {import('./curl.js').Body} Body
 */

/** How many requests are known at most, as in the service. */
const MAX_KNOWN = 200
/** The path of an upsert; its groups are the sandbox, if it goes there, the client and the table. */
const UPSERT = /^(\/sandbox)?\/v2\/client\/(\d+)\/table\/(\w+)\/data$/
/** Stands for the table of a request that is no upsert; no table can have this name. */
const NO_TABLE = '-'

/** @type {LiveRequest[]} newest first */
let known = []
/** The requests that the list shows. @type {readonly LiveRequest[]} */
let listed = []
/** The number of the request in the dialog; 0 for none. */
let opened = 0
let isPaused = false
/** Whether the list has to be drawn anew. */
let isStale = true
/** The names in the select of tables, as JSON. */
let offeredTables = ''

/** @returns {number} the number of the last request that is known; 0 when none is */
export function lastRequest() {
  return known[0]?.n ?? 0
}

/**
 * Adds what is new in each overview.
 * @param {readonly LiveRequest[]} more requests after lastRequest(), oldest first
 * @param {number} total how many the service has had, which is less than the number of the last known one when it was started again
 */
export function addRequests(more, total) {
  if (total < lastRequest()) known = []
  if (more.length > 0) isStale = true
  known = [...more.toReversed(), ...known].slice(0, MAX_KNOWN)
  showRequests()
  followUrl()
}

/** Draws the list if it has to be drawn anew, and is not held still. */
function showRequests() {
  show('requests-empty', known.length === 0)
  const grid = byId('requests-grid', HTMLTableElement)
  const isHeld = isPaused || isWalked(grid) || byId('value', HTMLDialogElement).open
  show('requests-held', isHeld && isStale)
  if (isHeld || !isStale || shownPanel() !== 'requests') return
  isStale = false
  fillTables()
  const matching = known.filter(matches)
  listed = matching
  show('requests-none', known.length > 0 && matching.length === 0)
  say('requests-note', matching.length === 0 ? '' : summaryOf(matching))
  fillGrid(grid, {
    columns: [
      { text: 'Time' },
      { text: 'Status' },
      { text: 'Table or path' },
      { text: 'ms', kind: 'number' },
      { text: 'Rows', kind: 'number' },
      { text: 'Body', kind: 'number' },
      { text: 'Reason' },
    ],
    rows: matching.map(rowOf),
    open: (row) => openerOf(matching[row])?.(),
  })
}

function togglePause() {
  isPaused = !isPaused
  byId('requests-pause', HTMLElement).setAttribute('aria-pressed', String(isPaused))
  say('requests-pause', isPaused ? 'Resume' : 'Pause')
  isStale = true
  showRequests()
}

export function startRequests() {
  onClick('requests-pause', togglePause)
  addOptions('requests-status', ['failed', '2xx', '4xx', '5xx', 'no answer'])
  for (const name of ['table', 'status', 'slower']) bindField('requests', name, `requests-${name}`)
  onView(() => {
    isStale = true
    showRequests()
    followUrl()
  })
  byId('value', HTMLDialogElement).addEventListener('close', () => setParams('requests', { request: '' }, true))
}

/** Fills the select with the tables of known requests and the chosen one, behind its first two options, which index.html has. */
function fillTables() {
  const chosen = param('requests', 'table')
  const names = new Set([chosen, ...known.map(tableOf)].filter((it) => it !== '' && it !== NO_TABLE))
  const sorted = [...names].toSorted()
  const state = JSON.stringify(sorted)
  if (state === offeredTables) return
  offeredTables = state
  const select = byId('requests-table', HTMLSelectElement)
  select.replaceChildren(...[...select.options].slice(0, 2), ...sorted.map((name) => element('option', name)))
  select.value = chosen
}

/** Tells whether the filters show a request. @param {LiveRequest} request */
function matches(request) {
  const { status, ms } = request
  const [table, wanted, slower] = ['table', 'status', 'slower'].map((name) => param('requests', name))
  if (table !== '' && tableOf(request) !== table) return false
  if (wanted === 'failed' && kindOf(status) === '') return false
  if (wanted !== 'failed' && wanted !== '' && classOf(status) !== wanted) return false
  return ms >= Number(slower)
}

/** The table of an upsert, or NO_TABLE. @param {LiveRequest} request */
function tableOf({ path }) {
  return UPSERT.exec(path)?.[3] ?? NO_TABLE
}

/** The class of a status, such as `2xx`. @param {LiveRequest['status']} status */
function classOf(status) {
  return typeof status === 'number' ? `${Math.floor(status / 100)}xx` : 'no answer'
}

/** Sums requests up in a sentence. @param {readonly LiveRequest[]} requests */
function summaryOf(requests) {
  const classes = Map.groupBy(requests, ({ status }) => classOf(status))
  const parts = [...classes]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { length }]) => `${count(length)} × ${name}`)
  const times = requests.map(({ ms }) => ms).toSorted((one, other) => one - other)
  const [median, slowest] = [times[times.length >> 1] ?? 0, times.at(-1) ?? 0]
  return `${counted(requests.length, 'request')}: ${parts.join(', ')}; median ${decimal(median)} ms, slowest ${decimal(slowest)} ms.`
}

/** The cells of a request. @param {LiveRequest} request @returns {import('./grid.js').Cell[]} */
function rowOf({ at, method, path, status, ms, points, bytes: size, reason = '' }) {
  return [
    { text: moment(at), kind: 'short' },
    { text: String(status), kind: `short ${kindOf(status)}` },
    { text: pathText(method, path), kind: 'path', title: `${method} ${path}` },
    { text: decimal(ms), kind: 'number' },
    { text: count(points), kind: 'number' },
    { text: bytes(size), kind: 'number' },
    { text: reason, kind: 'reason' },
  ]
}

/** The table of an upsert, for the rest of its path is always the same; of others the path. @param {string} method @param {string} path */
function pathText(method, path) {
  const [, sandbox, client, table] = UPSERT.exec(path) ?? []
  if (method !== 'POST' || table === undefined) return `${method === 'POST' ? '' : `${method} `}${path}`
  const clients = new Set(known.map((it) => UPSERT.exec(it.path)?.[2]).filter((it) => it !== undefined))
  return `${table}${clients.size < 2 ? '' : `, client ${client}`}${sandbox ? ', sandbox' : ''}`
}

/** The class name of a status; '' when it is no failure. @param {LiveRequest['status']} status */
function kindOf(status) {
  if (typeof status !== 'number') return 'bad'
  if (status < 400) return ''
  return status < 500 ? 'warn' : 'bad'
}

/** Opens the request that the URL names in the dialog, or closes it where the URL names none. */
function followUrl() {
  const n = shownPanel() === 'requests' ? Number(param('requests', 'request')) || 0 : 0
  // before the first overview no request is known
  if (n === opened || (n > 0 && known.length === 0)) return
  opened = n
  if (n > 0) void openRequest(n)
  else byId('value', HTMLDialogElement).close()
}

/** Makes the function that opens a request: it changes the URL, which followUrl follows. @param {LiveRequest | undefined} request */
function openerOf(request) {
  return request && (() => setParams('requests', { request: String(request.n) }, opened > 0))
}

/** Shows a request in the dialog. @param {number} n its number */
async function openRequest(n) {
  const request = known.find((it) => it.n === n)
  if (!request) {
    showParts(`Request ${n}`, { about: 'It is not among the last 200 requests.' })
    return
  }
  const asked = await askJson(`requests/${n}`)
  // another one was opened meanwhile, or the dialog closed
  if (opened !== n) return
  const { method, path, points } = request
  const bodies = 'wrong' in asked ? undefined : asked.value
  const [, sandbox, client, table] = UPSERT.exec(path) ?? []
  const hasRows = table !== undefined && client !== undefined && !sandbox && points > 0
  const command = bodies && curlOf(request, bodies.request)
  const index = listed.findIndex((it) => it.n === n)
  showParts(`${method} ${path}`, {
    parts: bodies && [partOf(bodies.request), partOf(bodies.answer)],
    about: aboutOf(request, 'wrong' in asked ? asked.wrong : undefined),
    linkText: `Rows of ${table}`,
    does: {
      newer: openerOf(listed[index - 1]),
      older: index === -1 ? undefined : openerOf(listed[index + 1]),
      ...(command !== undefined && { curl: () => void copyCommand(command) }),
      ...(hasRows && { link: () => showRowsOf(table, client) }),
    },
  })
}

/** Says how a request ended. @param {LiveRequest} request @param {string | undefined} wrong why its bodies cannot be shown */
function aboutOf({ at, status, ms, points, bytes: size, reason }, wrong) {
  return [
    typeof status === 'number' ? `Answered ${status}` : `No answer (${status})`,
    `at ${moment(at)} after ${decimal(ms)} ms; ${counted(points, 'row')}, body of ${bytes(size)}.`,
    ...[reason && `Reason: ${reason}`, wrong].filter((it) => it !== undefined).map((it) => `${it}.`),
  ].join(' ')
}

/** Leaves the dialog for the rows of a table. @param {string} table @param {string} client */
function showRowsOf(table, client) {
  byId('value', HTMLDialogElement).close()
  openTable(table, client)
  showPanel('tables', true)
}

/** Copies a command, and says so in the dialog. @param {string} command */
async function copyCommand(command) {
  say('value-note', (await copy(command)) ? 'Copied. It needs ANALYTICS_API_KEY.' : 'Copying is not possible here.')
}

/** A body as the dialog shows it. @param {Body | undefined} body */
function partOf(body) {
  if (!body) return { text: '', note: 'No body.' }
  const isCut = body.kept < body.bytes
  return { text: body.text, isCut, note: isCut ? `Cut: the first ${bytes(body.kept)} of ${bytes(body.bytes)}.` : '' }
}
