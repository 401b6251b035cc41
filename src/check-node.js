// Checks that the running Node is new enough. This is JavaScript that Node 18 can run, because an old Node cannot load our TypeScript.
// npm scripts run it as a program first: it prints a sentence and exits with 2 where Node is too old, or `npm ci` has not run.

import { existsSync } from 'node:fs'

/** The oldest version that will do; `engines` of package.json has it too. */
const [LEAST_MAJOR, LEAST_MINOR] = [24, 9]

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

export const isNewEnough = major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)

/** Whether this is a checkout without its packages; one of them contains a new enough Node. */
const lacksPackages = isInRoot('package-lock.json') && !isInRoot('node_modules')
const ADVICE = lacksPackages
  ? 'Run `npm ci` here first: it brings one along for Linux, macOS and Windows (x64). On other machines, install one'
  : 'Install a newer one'

/** Says that Node is too old, and sets the exit code. */
export function refuse() {
  const needed = `destination-analytics-service needs Node.js ${LEAST_MAJOR}.${LEAST_MINOR} or newer`
  say(`${needed}; this is ${process.versions.node} (${process.execPath}). ${ADVICE}: https://nodejs.org`)
}

const isProgram = /[\\/]check-node\.js$/.test(process.argv[1] ?? '')
if (isProgram && !isNewEnough) refuse()
else if (isProgram && lacksPackages) say('The packages of this checkout are not installed. Run `npm ci` first.')

function isInRoot(name) {
  return existsSync(new URL(`../${name}`, import.meta.url))
}

function say(text) {
  process.stderr.write(`${text}\n`)
  process.exitCode = 2
}
