// The list of tables, from which one is chosen: the one that was written last, as long as nobody chose.

import { askJson } from './ask.js'
import { byId, confirmed, onClick, say, show } from './dom.js'
import { count, counted, when } from './format.js'
import { fillGrid } from './grid.js'
import { followRows, openTable } from './rows.js'
import { param, setParams } from './view.js'

/** @typedef {import('./rows.js').Table} Table */

let shown = ''

/** @param {{ tables: readonly Table[], totals: { tables: number, rows: number }, sandbox: { requests: number, points: number } }} overview */
export function showTables({ tables, totals, sandbox }) {
  show('tables-empty', totals.tables === 0)
  show('tables-remove', totals.tables > 0)
  if (shown === '' && totals.tables === 0) byId('connect', HTMLDetailsElement).open = true
  const left = totals.tables - tables.length
  say('tables-more', left > 0 ? `And ${counted(left, 'more table')}: GET /_local/tables lists all.` : '')
  say('sandbox-note', sandboxText(sandbox))
  const newest = tables.toSorted((a, b) => (b.written_at ?? 0) - (a.written_at ?? 0))[0]
  followRows(tables)
  if (newest && param('tables', 'table') === '') {
    // a link may name an order or a search and no table
    setParams('tables', { table: newest.table, client: String(newest.client_id) }, true)
  }
  const state = JSON.stringify([tables, param('tables', 'table'), param('tables', 'client')])
  if (state === shown) return
  shown = state
  fill(tables)
}

export function startTables() {
  onClick('tables-remove', async () => {
    const rows = byId('total-rows', HTMLElement).textContent
    if (!(await confirmed(`Delete all tables with their ${rows} rows? Requests, faults, settings and jobs stay.`)))
      return
    const asked = await askJson('tables', { method: 'DELETE' })
    if (!('wrong' in asked)) openTable('', '')
  })
}

/** @param {readonly Table[]} tables */
function fill(tables) {
  fillGrid(byId('tables-grid', HTMLTableElement), {
    columns: [
      { text: 'Table' },
      { text: 'Client', kind: 'number' },
      { text: 'Rows', kind: 'number' },
      { text: 'Written', kind: 'short' },
    ],
    rows: tables.map(({ table, client_id, rows, written_at }) => [
      { text: table },
      { text: String(client_id), kind: 'number' },
      { text: count(rows), kind: 'number' },
      { text: when(written_at), kind: 'short' },
    ]),
    selected: tables.findIndex(
      ({ table, client_id }) => table === param('tables', 'table') && String(client_id) === param('tables', 'client'),
    ),
    open(row) {
      const table = tables[row]
      if (!table) return
      openTable(table.table, String(table.client_id))
      fill(tables)
    },
  })
}

/** @param {{ requests: number, points: number }} sandbox */
function sandboxText({ requests, points }) {
  if (requests === 0) return 'Sandbox: nothing yet. It stores nothing, so it has no rows.'
  return `Sandbox: ${counted(points, 'row')} received in ${counted(requests, 'request')}, none stored.`
}
