// The requests as they come, newest first. Stands still while it is held, and while somebody walks it.

import { byId, onClick, say, show } from './dom.js'
import { bytes, clock, count, decimal } from './format.js'
import { fillGrid, isWalked } from './grid.js'
import { shownPanel } from './view.js'

/**
 * @typedef {object} LiveRequest
 * @property {number} n
 * @property {number} at
 * @property {string} method
 * @property {string} path
 * @property {number | 'reset' | 'aborted'} status
 * @property {number} ms
 * @property {number} points
 * @property {number} bytes
 */

const KEPT = 200

/** @type {LiveRequest[]} newest first */
let known = []
let held = false
let isNew = true

/** @returns {number} the number of the last request that is known */
export function lastRequest() {
  return known[0]?.n ?? 0
}

/**
 * @param {readonly LiveRequest[]} more oldest first
 * @param {number} total fewer than known: the service has been started anew
 */
export function addRequests(more, total) {
  if (total < lastRequest()) known = []
  if (more.length > 0) isNew = true
  known = [...more.toReversed(), ...known].slice(0, KEPT)
  showRequests()
}

export function showRequests() {
  show('requests-empty', known.length === 0)
  const grid = byId('requests-grid', HTMLTableElement)
  if (held || !isNew || shownPanel() !== 'requests' || isWalked(grid)) return
  isNew = false
  const onlyWrong = byId('requests-wrong', HTMLInputElement).checked
  fillGrid(grid, {
    columns: [
      { text: 'Time' },
      { text: 'Status' },
      { text: 'Method' },
      { text: 'Path' },
      { text: 'ms', kind: 'number' },
      { text: 'Points', kind: 'number' },
      { text: 'Body', kind: 'number' },
    ],
    rows: known.filter(({ status }) => !onlyWrong || kindOf(status) !== 'good').map(rowOf),
  })
}

export function holdRequests() {
  held = !held
  byId('requests-pause', HTMLElement).setAttribute('aria-pressed', String(held))
  say('requests-pause', held ? 'Held: go on' : 'Pause')
  isNew = true
  showRequests()
}

export function startRequests() {
  onClick('requests-pause', holdRequests)
  byId('requests-wrong', HTMLInputElement).addEventListener('change', () => {
    isNew = true
    showRequests()
  })
}

/**
 * @param {LiveRequest} request
 * @returns {import('./grid.js').Cell[]}
 */
function rowOf({ at, method, path, status, ms, points, bytes: size }) {
  return [
    { text: clock(at), kind: 'short' },
    { text: String(status), kind: `short ${kindOf(status)}` },
    { text: method, kind: 'short' },
    { text: path, kind: 'mono' },
    { text: decimal(ms), kind: 'number' },
    { text: count(points), kind: 'number' },
    { text: bytes(size), kind: 'number' },
  ]
}

/** @param {LiveRequest['status']} status */
function kindOf(status) {
  if (typeof status !== 'number') return 'bad'
  if (status < 400) return 'good'
  return status < 500 ? 'warn' : 'bad'
}
