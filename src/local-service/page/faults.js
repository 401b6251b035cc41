// Scripted faults: made in one step or by a form, listed while they wait, ended one by one or all.

import { askJson } from './ask.js'
import { byId, fieldText, onClick, onSubmit, optionOf, say, show, showError } from './dom.js'
import { count } from './format.js'
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

/** A1 and so on, as the interface numbers them. */
const ENDPOINTS = `access token, create client, poll client, create user, set properties, add connection,
  poll connections, start test, poll test, create dashboards, poll dashboards`.split(/,\s*/)

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
    columns: [{ text: 'Fault' }, { text: 'Action' }],
    rows: faults.map((fault) => [
      { text: sentence(fault), kind: 'sentence' },
      {
        text: '',
        kind: 'short',
        button: 'End',
        label: `End: ${sentence(fault)}`,
        open: () => void end(`faults/${fault.id}`),
      },
    ]),
  })
}

/** @param {() => Promise<void>} read called when something has changed */
export function startFaults(read) {
  refresh = read
  byId('faults-clear', HTMLButtonElement).disabled = true
  const endpoints = ENDPOINTS.map((text, index) => optionOf(`A${index + 1}`, `A${index + 1} ${text}`))
  byId('fault-endpoint', HTMLElement).append(...endpoints)
  onClick('faults-clear', () => end('faults'))
  byId('fault-quick', HTMLElement).addEventListener('click', (event) => {
    const text = event.target instanceof HTMLElement ? event.target.dataset.fault : undefined
    if (text !== undefined) void script(JSON.parse(text))
  })
  onSubmit('fault-form', () => script(fromForm()))
  byId('fault-form', HTMLFormElement).addEventListener('input', arrange)
  arrange()
}

/** @param {object} fault */
async function script(fault) {
  const asked = await askJson('faults', { method: 'POST', body: fault })
  showError('fault-error', 'wrong' in asked ? asked.wrong : undefined)
  say('fault-status-line', 'wrong' in asked ? '' : 'The fault is waiting.')
  await refresh()
}

/** @param {string} path */
async function end(path) {
  const asked = await askJson(path, { method: 'DELETE' })
  // one that has just been given to its last upsert is ended all the same
  say('fault-status-line', 'wrong' in asked ? asked.wrong : 'Ended.')
  await refresh()
}

/** Fields that do not matter are not shown; what the others make is said in a sentence. */
function arrange() {
  const forWhom = fieldText('fault-for')
  const what = fieldText('fault-what')
  enable('fault-table', forWhom === 'table')
  enable('fault-endpoint', forWhom === 'endpoint')
  byId('fault-table', HTMLInputElement).required = forWhom === 'table'
  enable('fault-status', what === 'answer')
  enable('fault-retry', what === 'answer')
  enable('fault-delay', what === 'delay')
  const { next = null, answer, ...fault } = fromForm()
  const { status, headers } = answer ?? {}
  const shown = answer && { status, retry_after: headers?.['Retry-After'] }
  say('fault-preview', sentence({ id: 0, left: next, ...fault, ...(shown && { answer: shown }) }))
}

/** @param {string} id @param {boolean} matters what does not is not asked for */
function enable(id, matters) {
  const field = byId(id, HTMLElement)
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.disabled = !matters
  show(`${id}-label`, matters)
}

/** @returns {any} as the service takes it */
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

/** Such as `The next 3 upserts of users answer 500.` @param {WaitingFault} fault */
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

/** @param {number} every */
function ordinal(every) {
  const ending = { 1: 'st', 2: 'nd', 3: 'rd' }[/1\d$/.test(String(every)) ? 0 : every % 10] ?? 'th'
  return every === 1 ? 'Every' : `Every ${count(every)}${ending}`
}
