// The panel of tables: a list, from which one is chosen. Until the user chooses one, that is the table that was written last.

import { askJson } from './ask.js'
import { byId, confirmed, onClick, optionOf, say, show } from './dom.js'
import { count, counted, when } from './format.js'
import { fillGrid, isWalked } from './grid.js'
import { followRows, openTable } from './rows.js'
import { param, setParams } from './view.js'

/** @typedef {import('./rows.js').Table} Table */

/** The longest list that has no filter. */
const MAX_UNFILTERED = 10

/** The tables of the last overview, the last written first. @type {readonly Table[]} */
let known = []
/** The tables that the list shows, which a filter may make fewer. @type {readonly Table[]} */
let listed = []
/** The place of each table in the list, which stays while the list has the focus or the mouse. @type {Map<string, number>} */
let places = new Map()
/** The state that the list shows, as JSON: it is drawn anew only when that changes. */
let shownState = ''
/** How many clients have tables. */
let clientCount = 0

/** @param {{ tables: readonly Table[], totals: { tables: number, rows: number }, sandbox: { requests: number, points: number } }} overview */
export function showTables({ tables, totals, sandbox }) {
  show('tables-empty', totals.tables === 0)
  show('tables-actions', totals.tables > 0)
  if (shownState === '' && totals.tables === 0) byId('connect', HTMLDetailsElement).open = true
  const unlisted = totals.tables - tables.length
  say('tables-more', unlisted > 0 ? `And ${counted(unlisted, 'more table')}: GET /_local/tables lists all.` : '')
  say('sandbox-note', sandboxText(sandbox))
  const named = param('tables', 'table')
  const lastWritten = tables.find(({ table }) => named === '' || table === named)
  followRows(tables)
  // chooses the last written table where the URL names none, and the client that wrote last where it names a table alone
  if (lastWritten && (named === '' || param('tables', 'client') === ''))
    setParams('tables', { table: lastWritten.table, client: String(lastWritten.client_id) }, true)
  known = tables
  clientCount = new Set(tables.map(({ client_id }) => client_id)).size
  show('rows-card', totals.tables > 0 || named !== '')
  showList()
}

/** Draws the list, filtered, if it has changed. */
function showList() {
  const grid = byId('tables-grid', HTMLTableElement)
  const filter = byId('tables-filter', HTMLInputElement)
  filter.hidden = known.length <= MAX_UNFILTERED
  const text = filter.hidden ? '' : filter.value.toLowerCase()
  const isHeld = isWalked(grid) || grid.matches(':hover')
  if (!isHeld) places = new Map(known.map((it, index) => [nameOf(it), index]))
  const list = known
    .filter((it) => isChosen(it) || it.table.toLowerCase().includes(text))
    .toSorted((a, b) => (places.get(nameOf(a)) ?? -1) - (places.get(nameOf(b)) ?? -1))
  listed = list
  const state = JSON.stringify([list, param('tables', 'table'), param('tables', 'client')])
  if (state === shownState) return
  shownState = state
  fill(list)
  fillSelect(list)
  const [row, box] = [grid.querySelector('[aria-selected=true]'), grid.parentElement]
  if (isHeld || !box || !(row instanceof HTMLElement)) return
  // scrolls the list to the chosen table, and not the page as scrollIntoView would
  const above = row.offsetTop - box.scrollTop
  if (above < row.offsetHeight || above + row.offsetHeight > box.clientHeight)
    box.scrollTop = row.offsetTop - box.clientHeight / 2
}

export function startTables() {
  byId('tables-filter', HTMLElement).addEventListener('input', showList)
  const select = byId('tables-select', HTMLSelectElement)
  select.addEventListener('change', () => choose(listed[select.selectedIndex]))
  onClick('tables-remove', async () => {
    const rows = byId('total-rows', HTMLElement).textContent
    if (!(await confirmed(`Delete all tables with their ${rows} rows? Requests, faults, settings and jobs stay.`)))
      return
    const asked = await askJson('tables', { method: 'DELETE' })
    if (!('wrong' in asked)) openTable('', '')
  })
}

/** Fills the list. @param {readonly Table[]} tables */
function fill(tables) {
  fillGrid(byId('tables-grid', HTMLTableElement), {
    columns: [
      { text: 'Table' },
      ...(clientCount > 1 ? [{ text: 'Client', kind: 'number' }] : []),
      { text: 'Rows', kind: 'number' },
      { text: 'Written', kind: 'short' },
    ],
    rows: tables.map(({ table, client_id, rows, written_at }) => [
      { text: table, kind: 'name', title: table },
      ...(clientCount > 1 ? [{ text: String(client_id), kind: 'number' }] : []),
      { text: count(rows), kind: 'number' },
      { text: when(written_at), kind: 'short' },
    ]),
    selected: tables.findIndex(isChosen),
    writtenAt: tables.map(({ written_at }) => written_at),
    open: (row) => choose(tables[row]),
  })
}

/** Fills a select, which stands for the list on small screens. @param {readonly Table[]} tables */
function fillSelect(tables) {
  const select = byId('tables-select', HTMLSelectElement)
  const options = tables.map(({ table, client_id, rows }, index) =>
    optionOf(String(index), `${table}${clientCount > 1 ? `, client ${client_id}` : ''}: ${counted(rows, 'row')}`),
  )
  select.hidden = tables.length === 0
  select.replaceChildren(...options)
  select.selectedIndex = tables.findIndex(isChosen)
}

/** Chooses a table as the user does. @param {Table | undefined} table */
function choose(table) {
  if (!table) return
  openTable(table.table, String(table.client_id))
  showList()
}

/** Tells whether the URL names a table. @param {Table} table */
function isChosen({ table, client_id }) {
  return table === param('tables', 'table') && String(client_id) === param('tables', 'client')
}

/** A text that no other table has. @param {Table} table */
function nameOf({ table, client_id }) {
  return `${client_id} ${table}`
}

/** Says what the sandbox received; '' when that is nothing. @param {{ requests: number, points: number }} sandbox */
function sandboxText({ requests, points }) {
  if (requests === 0) return ''
  return `Sandbox: ${counted(points, 'row')} received in ${counted(requests, 'request')}, none stored.`
}
