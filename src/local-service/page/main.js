// The start of the page. Reads the overview once a second while the page is visible, and gives each panel its part.

import { askJson } from './ask.js'
import { byId, say, startMenus } from './dom.js'
import { count, decimal } from './format.js'
import { markFresh } from './grid.js'
import { readOnboarding, startOnboarding } from './onboarding.js'
import { showFaults, startFaults } from './faults.js'
import { addRequests, lastRequest, startRequests } from './requests.js'
import { showConnect, startConnect } from './connect.js'
import { startRows } from './rows.js'
import { showTables, startTables } from './tables.js'
import { startView } from './view.js'
import { startValue } from './value.js'

const EVERY_MS = 1000
/** How many seconds the rate of requests is an average of. */
const RATE_SECONDS = 5

let isReading = false

async function readOverview() {
  if (isReading) return
  isReading = true
  const asked = await askJson(`overview?after=${lastRequest()}`)
  isReading = false
  if ('wrong' in asked) {
    say('trouble', `Not up to date: ${asked.wrong}. Is serve still running?`)
    return
  }
  const { value } = asked
  say('trouble', '')
  say('where', `Rows are kept in ${value.data ?? 'memory'}.`)
  for (const name of ['rows', 'requests', 'failed', 'faults']) say(`total-${name}`, count(value.totals[name]))
  for (const name of ['failed', 'faults'])
    byId(`total-${name}`, HTMLElement).classList.toggle('some', value.totals[name] > 0)
  say('total-rate', decimal(rateOf(value.seconds)))
  addRequests(value.requests, value.totals.requests)
  showConnect(value.connect)
  showTables(value)
  showFaults(value.faults)
}

/** Requests a second. @param {readonly (readonly number[])[]} seconds the last ones; the first number of each counts its requests */
function rateOf(seconds) {
  return seconds.slice(-RATE_SECONDS).reduce((sum, [requests = 0]) => sum + requests, 0) / RATE_SECONDS
}

function tick() {
  markFresh(document)
  if (!document.hidden) void readOverview()
}

startMenus()
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
