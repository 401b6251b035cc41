// The panel of the onboarding interface: clients, new keys for imports, jobs and the plans for jobs. Read only while it is shown.

import { askJson } from './ask.js'
import { configWith } from './connect.js'
import { addOptions, byId, fieldText, onClick, onSubmit, say, show, showError } from './dom.js'
import { clock, count, counted } from './format.js'
import { fillGrid } from './grid.js'
import { onView, shownPanel } from './view.js'

/**
 * @typedef {{ id: number, name: string, users: { email: string }[], connections: { name: string, status: string }[],
 *   connection_tests: unknown[], dashboards: unknown[], import_keys: number }} Client
 * @typedef {{ kind: string, id: string, client_id: number | null, about: string,
 *   states: { state: string, since: number }[] }} Job
 * @typedef {Record<string, { durationMs: number, outcome: string }>} Plans
 */

const MAX_CLIENTS = 200
/** Most users or connections of a client that are named. */
const MAX_LISTED = 5
const KINDS = ['signup', 'connection', 'connectionTest', 'dashboards']
const EVERY_MS = 2000

/** The state that is shown, as JSON: the panel is drawn anew only when that changes. */
let shownState = ''

export async function readOnboarding() {
  if (shownPanel() !== 'onboarding' || document.hidden) return
  const [clients, jobs, onboarding] = await Promise.all([askJson('clients'), askJson('jobs'), askJson('onboarding')])
  if ('wrong' in clients || 'wrong' in jobs || 'wrong' in onboarding) return
  const state = JSON.stringify([clients.value, jobs.value, onboarding.value.plans])
  if (state === shownState) return
  shownState = state
  showClients(clients.value)
  showJobs(jobs.value)
  showPlans(onboarding.value.plans)
}

export function startOnboarding() {
  addOptions('plans-kind', KINDS)
  addOptions('plans-outcome', ['completed', 'Failed', 'hangs'])
  onSubmit('plans-form', () => {
    const plan = { durationMs: Number(fieldText('plans-seconds')) * 1000, outcome: fieldText('plans-outcome') }
    return changePlans('POST', { [fieldText('plans-kind')]: plan })
  })
  onClick('plans-reset', () => changePlans('DELETE'))
  const dialog = byId('key', HTMLDialogElement)
  onClick('key-close', () => dialog.close())
  // a key is shown once: nothing of it stays in the page
  dialog.addEventListener('close', () => {
    for (const id of ['key-text', 'key-config']) say(id, '')
  })
  onView(() => void readOnboarding())
  setInterval(() => void readOnboarding(), EVERY_MS)
}

/** Changes the plans for jobs. @param {'POST' | 'DELETE'} method DELETE resets them @param {object} [body] the change */
async function changePlans(method, body) {
  const asked = await askJson('onboarding', { method, body })
  showError('onboarding-error', 'wrong' in asked ? asked.wrong : undefined)
  await readOnboarding()
}

/** Makes a key for imports, and shows it in a dialog. @param {number} clientId */
async function makeKey(clientId) {
  const asked = await askJson(`clients/${clientId}/import-keys`, { method: 'POST' })
  showError('onboarding-error', 'wrong' in asked ? asked.wrong : undefined)
  if ('wrong' in asked) return
  say('key-title', `An import key of client ${clientId}`)
  say('key-text', asked.value.api_key)
  say('key-config', configWith(clientId, asked.value.api_key))
  byId('key', HTMLDialogElement).showModal()
  await readOnboarding()
}

/** Fills the list of clients. @param {readonly Client[]} clients */
function showClients(clients) {
  fillGrid(byId('clients-grid', HTMLTableElement), {
    columns: [
      { text: 'Client' },
      { text: 'Name' },
      { text: 'Import keys' },
      { text: 'Users' },
      { text: 'Connections' },
      { text: 'Tests', kind: 'number' },
      { text: 'Dashboards', kind: 'number' },
    ],
    rows: clients.slice(0, MAX_CLIENTS).map((client) => [
      { text: String(client.id), kind: 'short' },
      { text: client.name },
      {
        text: `${count(client.import_keys)} `,
        kind: 'short',
        button: 'New key',
        label: `New key for imports of client ${client.id}`,
        open: () => void makeKey(client.id),
      },
      { text: listed(client.users.map(({ email }) => email)) },
      { text: listed(client.connections.map(({ name, status }) => `${name}: ${status}`)) },
      { text: count(client.connection_tests.length), kind: 'number' },
      { text: count(client.dashboards.length), kind: 'number' },
    ]),
  })
}

/** Joins the first texts, and says how many more there are. @param {readonly string[]} texts */
function listed(texts) {
  const more = texts.length - MAX_LISTED
  return texts.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Fills the list of jobs. @param {{ total: number, jobs: readonly Job[] }} answer which has the newest jobs of all */
function showJobs({ total, jobs }) {
  show('jobs-empty', total === 0)
  say('jobs-more', total > jobs.length ? `The newest ${jobs.length} of ${counted(total, 'job')}.` : '')
  fillGrid(byId('jobs-grid', HTMLTableElement), {
    columns: [
      { text: 'Kind' },
      { text: 'Client' },
      { text: 'About' },
      { text: 'State' },
      { text: 'History' },
      { text: 'Id' },
    ],
    rows: jobs.map(({ kind, id, client_id: client, about, states }) => [
      { text: kind, kind: 'short' },
      { text: client === null ? 'none yet' : String(client), kind: 'short' },
      { text: about },
      { text: states.at(-1)?.state ?? '', kind: `short ${stateKind(states)}` },
      { text: states.map(({ state, since }) => `${state}\u00a0${clock(since)}`).join(' → ') },
      { text: id, kind: 'mono' },
    ]),
  })
}

/** The class name that colours the last state. @param {Job['states']} states */
function stateKind(states) {
  const state = states.at(-1)?.state ?? ''
  if (state === 'pending' || state === 'running') return 'warn'
  return /^(?:complete|succe)/i.test(state) && !/error|fail|warn/i.test(state) ? 'good' : 'bad'
}

/** Fills the list of plans. @param {Plans} plans */
function showPlans(plans) {
  fillGrid(byId('plans-grid', HTMLTableElement), {
    columns: [{ text: 'Kind' }, { text: 'Seconds', kind: 'number' }, { text: 'Outcome' }],
    rows: KINDS.map((kind) => [
      { text: kind, kind: 'short' },
      { text: String((plans[kind]?.durationMs ?? 0) / 1000), kind: 'number' },
      { text: plans[kind]?.outcome ?? '', kind: 'short' },
    ]),
  })
}
