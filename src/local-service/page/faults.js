// The panel of scripted faults: they are made by a button or a form, listed while they wait, and ended one by one or all together.

import { askJson } from './ask.js'
import { byId, fieldText, onClick, onSubmit, optionOf, say, show, showError } from './dom.js'
import { count } from './format.js'
import { fillGrid } from './grid.js'

/**
 * A fault as `/_local/faults` shows it. `left`: how many more requests get it, null for one with `every`, which lasts until it is ended.
 * @typedef {{ id: number, table?: string, endpoint?: string, path?: string, every?: number, left: number | null, delay_ms?: number,
 *   reset?: 'before' | 'after', answer?: { status: number, retry_after?: string } | string }} WaitingFault
 */

/** Names of the endpoints A1 to A11, in this order. */
const ENDPOINTS = `access token, create client, poll client, create user, set properties, add connection,
  poll connections, start test, poll test, create dashboards, poll dashboards`.split(/,\s*/)

/** The faults in the list, as JSON: it is drawn anew only when they change. */
let shownState = ''
/** Reads the overview again. @type {() => Promise<void>} */
let refresh = async () => {}

/** Fills the list, from each overview. @param {readonly WaitingFault[]} faults */
export function showFaults(faults) {
  const state = JSON.stringify(faults)
  if (state === shownState) return
  shownState = state
  show('faults-empty', faults.length === 0)
  byId('faults-clear', HTMLButtonElement).disabled = faults.length === 0
  fillGrid(byId('faults-grid', HTMLTableElement), {
    columns: [{ text: 'Fault' }, { text: 'Action' }],
    rows: faults.map((fault) => [
      { text: sentence(fault), kind: 'sentence' },
      {
        text: '',
        kind: 'short',
        button: 'End',
        label: `End: ${sentence(fault)}`,
        open: () => void endFaults(`faults/${fault.id}`),
      },
    ]),
  })
}

/** Makes the panel work. Called once. @param {() => Promise<void>} readOverview called when faults were changed here */
export function startFaults(readOverview) {
  refresh = readOverview
  byId('faults-clear', HTMLButtonElement).disabled = true
  const endpoints = ENDPOINTS.map((text, index) => optionOf(`A${index + 1}`, `A${index + 1} ${text}`))
  byId('fault-endpoint', HTMLElement).append(...endpoints)
  onClick('faults-clear', () => endFaults('faults'))
  byId('fault-quick', HTMLElement).addEventListener('click', (event) => {
    const text = event.target instanceof HTMLElement ? event.target.dataset.fault : undefined
    if (text !== undefined) void scriptFault(JSON.parse(text))
  })
  onSubmit('fault-form', () => scriptFault(faultInForm()))
  byId('fault-form', HTMLFormElement).addEventListener('input', arrangeForm)
  arrangeForm()
}

/** Scripts a fault. @param {object} fault a body of `POST /_local/faults` */
async function scriptFault(fault) {
  const asked = await askJson('faults', { method: 'POST', body: fault })
  showError('fault-error', 'wrong' in asked ? asked.wrong : undefined)
  say('fault-status-line', 'wrong' in asked ? '' : 'The fault is waiting.')
  await refresh()
}

/** Ends faults. @param {string} path of one fault or of all, below `/_local/` */
async function endFaults(path) {
  const asked = await askJson(path, { method: 'DELETE' })
  say('fault-status-line', 'wrong' in asked ? asked.wrong : 'Ended.')
  await refresh()
}

/** Hides the fields of the form that do not matter for what is chosen, and says in a sentence what fault the others make. */
function arrangeForm() {
  const forWhom = fieldText('fault-for')
  const effect = fieldText('fault-what')
  enable('fault-table', forWhom === 'table')
  enable('fault-endpoint', forWhom === 'endpoint')
  byId('fault-table', HTMLInputElement).required = forWhom === 'table'
  enable('fault-status', effect === 'answer')
  enable('fault-retry', effect === 'answer')
  enable('fault-delay', effect === 'delay')
  const { next = null, answer, ...fault } = faultInForm()
  const { status, headers } = answer ?? {}
  const shownAnswer = answer && { status, retry_after: headers?.['Retry-After'] }
  const waiting = { id: 0, left: next, ...fault, ...(shownAnswer && { answer: shownAnswer }) }
  say('fault-preview', sentence(waiting))
}

/** Shows or hides a field with its label. @param {string} id @param {boolean} matters */
function enable(id, matters) {
  const field = byId(id, HTMLElement)
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.disabled = !matters
  show(`${id}-label`, matters)
}

/** The fault that the form describes. @returns {any} a body of `POST /_local/faults` */
function faultInForm() {
  const forWhom = fieldText('fault-for')
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
    ...(forWhom === 'table' ? { table: fieldText('fault-table') } : {}),
    ...(forWhom === 'endpoint' ? { endpoint: fieldText('fault-endpoint') } : {}),
    [fieldText('fault-which')]: Number(fieldText('fault-number')),
    ...effects[/** @type {keyof typeof effects} */ (fieldText('fault-what'))],
  }
}

/** Words a fault, such as `The next 3 upserts of users answer 500.` @param {WaitingFault} fault */
function sentence({ table, endpoint, path, every, left, answer, delay_ms: delay, reset }) {
  const isMany = left !== null && left > 1
  const calls = [endpoint, path].filter((it) => it !== undefined).join(' ')
  const noun = calls === '' ? 'upsert' : `${calls} request`
  const whom = `${noun}${isMany ? 's' : ''}${calls === '' ? ` of ${table || 'any table'}` : ''}`
  const which = left === null ? ordinal(every ?? 1) : isMany ? `The next ${count(left)}` : 'The next'
  const [s, is] = isMany ? ['', 'are'] : ['s', 'is']
  const effects = []
  if (delay !== undefined) effects.push(`wait${s} ${count(delay)} ms`)
  if (typeof answer === 'object') {
    const after = answer.retry_after === undefined ? '' : ` with Retry-After ${answer.retry_after}`
    effects.push(`answer${s} ${answer.status}${after}`)
  } else if (answer !== undefined) effects.push(`answer${s} by ${answer}`)
  if (reset === 'before') effects.push(`${is} reset before anything is stored`)
  if (reset === 'after') effects.push(`${is} stored, then reset without an answer`)
  return `${which} ${whom} ${effects.join(', then ')}.`
}

/** `Every`, `Every 2nd` and so on. @param {number} every */
function ordinal(every) {
  const ending = { 1: 'st', 2: 'nd', 3: 'rd' }[/1\d$/.test(String(every)) ? 0 : every % 10] ?? 'th'
  return every === 1 ? 'Every' : `Every ${count(every)}${ending}`
}
