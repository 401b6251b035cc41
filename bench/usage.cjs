// Preloaded into each measured program (node --require): when it ends, it writes what the process used to file descriptor 3.
// Plain CommonJS with modules Node has loaded anyway, so that it adds nothing to what is measured.
'use strict'
const { readFileSync, writeSync } = require('node:fs')

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(
    3,
    JSON.stringify({ cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakRssBytes: peakRss() ?? maxRSS * 1024 }),
  )
})

// On Linux getrusage's peak starts with that of the process that forked this one; the kernel's own mark of this image doesn't.
function peakRss() {
  try {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))
    return match === null ? undefined : Number(match[1]) * 1024
  } catch {
    return undefined
  }
}
