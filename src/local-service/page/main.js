// The page: reads the overview once a second while it is seen, and hands each panel its part.

import { askJson } from './ask.js'
import { say } from './dom.js'
import { count } from './format.js'
import { readOnboarding, startOnboarding } from './onboarding.js'
import { showFaults, startFaults } from './faults.js'
import { addRequests, lastRequest, startRequests } from './requests.js'
import { showConnect, startConnect } from './connect.js'
import { startRows } from './rows.js'
import { showTables, startTables } from './tables.js'
import { startView } from './view.js'
import { startValue } from './value.js'

const EVERY_MS = 1000

let reading = false

async function readOverview() {
  if (reading) return
  reading = true
  const asked = await askJson(`overview?after=${lastRequest()}`)
  reading = false
  if ('wrong' in asked) {
    say('trouble', `Not up to date: ${asked.wrong}. Is serve still running?`)
    return
  }
  const { value } = asked
  say('trouble', '')
  say('where', `Rows are kept in ${value.data ?? 'memory'}.`)
  for (const name of ['rows', 'tables', 'requests', 'points', 'faults']) say(`total-${name}`, count(value.totals[name]))
  say('total-sandbox', count(value.sandbox.points))
  addRequests(value.requests, value.totals.requests)
  showConnect(value.connect)
  showTables(value)
  showFaults(value.faults)
}

function tick() {
  if (!document.hidden) void readOverview()
}

startValue()
startConnect()
startTables()
startRows()
startRequests()
startFaults(readOverview)
startOnboarding()
startView()
document.addEventListener('visibilitychange', tick)
setInterval(tick, EVERY_MS)
tick()
void readOnboarding()
