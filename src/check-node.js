// Whether this Node is new enough. JavaScript, and no newer than Node 18 reads: older ones cannot load any TypeScript of ours.
// As a program, in front of the npm scripts: exit code 2 and a sentence, where it is not, or where `npm ci` has not run.

import { existsSync } from 'node:fs'

/** Also `engines` of package.json. */
const [MAJOR, MINOR] = [24, 9]

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

export const isNewEnough = major > MAJOR || (major === MAJOR && minor >= MINOR)

/** A checkout as it was cloned: its packages, and a Node among them, are not there yet. */
const isBare = isBeside('package-lock.json') && !isBeside('node_modules')
const ADVICE = isBare
  ? 'Run `npm ci` here first: it brings one along for Linux, macOS and Windows (x64). On other machines, install one'
  : 'Install a newer one'

export function refuse() {
  const found = `${process.versions.node} (${process.execPath})`
  say(
    `destination-analytics-service needs Node.js ${MAJOR}.${MINOR} or newer; this is ${found}. ${ADVICE}: https://nodejs.org`,
  )
}

if (/[\\/]check-node\.js$/.test(process.argv[1] ?? '')) {
  if (!isNewEnough) refuse()
  else if (isBare) say('The packages of this checkout are not installed. Run `npm ci` first.')
}

function isBeside(name) {
  return existsSync(new URL(`../${name}`, import.meta.url))
}

function say(text) {
  process.stderr.write(`${text}\n`)
  process.exitCode = 2
}
