// Scripted faults: made in one step or by a form, listed while they wait, ended one by one or all. Knows no settings.

import { askJson } from './ask.js'
import { byId, fieldText, onClick, onSubmit, say, show, showError } from './dom.js'
import { fillGrid } from './grid.js'

/**
 * @typedef {object} WaitingFault
 * @property {number} id
 * @property {string} [table]
 * @property {string} [endpoint]
 * @property {string} [path]
 * @property {number} [every]
 * @property {number | null} left
 * @property {number} [delay_ms]
 * @property {'before' | 'after'} [reset]
 * @property {{ status: number, retry_after?: string } | string} [answer]
 */

let shown = ''
/** @type {() => Promise<void>} */
let refresh = async () => {}

/** @param {readonly WaitingFault[]} faults */
export function showFaults(faults) {
  const state = JSON.stringify(faults)
  if (state === shown) return
  shown = state
  show('faults-empty', faults.length === 0)
  byId('faults-clear', HTMLButtonElement).disabled = faults.length === 0
  fillGrid(byId('faults-grid', HTMLTableElement), {
    columns: [{ text: 'For' }, { text: 'What' }, { text: 'Left' }, { text: '' }],
    rows: faults.map((fault) => [
      { text: whom(fault) },
      { text: what(fault) },
      { text: fault.left === null ? `each ${fault.every}.` : String(fault.left) },
      {
        text: '',
        kind: 'short',
        button: 'End it',
        label: `End the fault for ${whom(fault)}: ${what(fault)}`,
        open: () => void end(`faults/${fault.id}`),
      },
    ]),
  })
}

/** @param {() => Promise<void>} read called when something has changed */
export function startFaults(read) {
  refresh = read
  byId('faults-clear', HTMLButtonElement).disabled = true
  onClick('faults-clear', () => end('faults'))
  byId('fault-quick', HTMLElement).addEventListener('click', (event) => {
    const text = event.target instanceof HTMLElement ? event.target.dataset.fault : undefined
    if (text !== undefined) void script(JSON.parse(text))
  })
  onSubmit('fault-form', () => script(fromForm()))
  for (const id of ['fault-for', 'fault-what']) byId(id, HTMLSelectElement).addEventListener('change', arrange)
  arrange()
}

/** @param {object} fault */
async function script(fault) {
  const asked = await askJson('faults', { method: 'POST', body: fault })
  showError('fault-error', 'wrong' in asked ? asked.wrong : undefined)
  say('fault-status-line', 'wrong' in asked ? '' : 'The fault waits.')
  await refresh()
}

/** @param {string} path */
async function end(path) {
  const asked = await askJson(path, { method: 'DELETE' })
  // one that has just been given to its last upsert is ended all the same
  say('fault-status-line', 'wrong' in asked ? asked.wrong : 'Ended.')
  await refresh()
}

/** Fields that do not matter are not shown. */
function arrange() {
  const forWhom = fieldText('fault-for')
  const what = fieldText('fault-what')
  enable('fault-table', forWhom === 'table')
  enable('fault-endpoint', forWhom === 'endpoint')
  byId('fault-table', HTMLInputElement).required = forWhom === 'table'
  enable('fault-status', what === 'answer')
  enable('fault-retry', what === 'answer')
  enable('fault-delay', what === 'delay')
}

/**
 * @param {string} id
 * @param {boolean} matters what does not is not asked for
 */
function enable(id, matters) {
  const field = byId(id, HTMLElement)
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.disabled = !matters
  show(`${id}-label`, matters)
}

function fromForm() {
  const whom = fieldText('fault-for')
  const retry = fieldText('fault-retry')
  const answer = {
    status: Number(fieldText('fault-status')),
    ...(retry === '' ? {} : { headers: { 'Retry-After': retry } }),
  }
  const effects = {
    answer: { answer },
    delay: { delay_ms: Number(fieldText('fault-delay')) },
    before: { reset: 'before' },
    after: { reset: 'after' },
  }
  return {
    ...(whom === 'table' ? { table: fieldText('fault-table') } : {}),
    ...(whom === 'endpoint' ? { endpoint: fieldText('fault-endpoint') } : {}),
    [fieldText('fault-which')]: Number(fieldText('fault-number')),
    ...effects[/** @type {keyof typeof effects} */ (fieldText('fault-what'))],
  }
}

/** @param {WaitingFault} fault */
function whom({ table, endpoint, path }) {
  if (table !== undefined) return `upserts of ${table}`
  const calls = [endpoint, path].filter((it) => it !== undefined).join(' ')
  return calls === '' ? 'upserts of any table' : `calls of ${calls}`
}

/** @param {WaitingFault} fault */
function what({ answer, delay_ms: delay, reset }) {
  const parts = []
  if (delay !== undefined) parts.push(`wait ${delay} ms`)
  if (typeof answer === 'object') {
    const after = answer.retry_after === undefined ? '' : `, Retry-After ${answer.retry_after}`
    parts.push(`answer ${answer.status}${after}`)
  } else if (answer !== undefined) parts.push(`answer by ${answer}`)
  if (reset !== undefined) parts.push(reset === 'before' ? 'reset, nothing stored' : 'reset, but stored')
  return parts.join(', then ')
}
