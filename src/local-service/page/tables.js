// The list of tables, from which one is chosen. Knows no rows.

import { byId, say, show } from './dom.js'
import { count, counted } from './format.js'
import { fillGrid } from './grid.js'
import { followRows, openTable, showRows } from './rows.js'

/** @typedef {import('./rows.js').Table} Table */

let shown = ''

/** @param {{ tables: readonly Table[], totals: { tables: number }, sandbox: { requests: number, points: number } }} overview */
export function showTables({ tables, totals, sandbox }) {
  show('tables-empty', totals.tables === 0)
  const left = totals.tables - tables.length
  say('tables-more', left > 0 ? `And ${counted(left, 'table')} more: GET /_local/tables lists all.` : '')
  say('sandbox-note', sandboxText(sandbox))
  followRows(tables)
  const state = JSON.stringify([tables, openTable()])
  if (state === shown) return
  shown = state
  fill(tables)
}

/** @param {readonly Table[]} tables */
function fill(tables) {
  const open = openTable()
  fillGrid(byId('tables-grid', HTMLTableElement), {
    columns: [{ text: 'Table' }, { text: 'Client', kind: 'number' }, { text: 'Rows', kind: 'number' }],
    rows: tables.map(({ table, client_id, rows }) => [
      { text: table },
      { text: String(client_id), kind: 'number' },
      { text: count(rows), kind: 'number' },
    ]),
    selected: tables.findIndex((it) => it.client_id === open?.client_id && it.table === open.table),
    open(row) {
      const table = tables[row]
      if (!table) return
      void showRows(table, hasPlainView(table, tables))
      fill(tables)
    },
  })
}

/**
 * Names are the same to SQLite whatever their case, and some it keeps for itself.
 * @param {Table} table
 * @param {readonly Table[]} tables
 */
function hasPlainView({ table }, tables) {
  const name = table.toLowerCase()
  return !name.startsWith('sqlite_') && tables.filter((it) => it.table.toLowerCase() === name).length === 1
}

/** @param {{ requests: number, points: number }} sandbox */
function sandboxText({ requests, points }) {
  if (requests === 0) return 'Sandbox: nothing yet. It stores nothing, so it has no rows.'
  return `Sandbox: ${counted(points, 'point')} taken in ${counted(requests, 'request')}, none stored.`
}
