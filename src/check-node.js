// Whether this Node is new enough. JavaScript, and no newer than Node 18 reads: older ones cannot load any TypeScript of ours.
// As a program, in front of each npm script that runs TypeScript: exit code 2 and a sentence, where it is not.

/** Also `engines` of package.json. */
const [MAJOR, MINOR] = [24, 9]

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

export const isNewEnough = major > MAJOR || (major === MAJOR && minor >= MINOR)

export function refuse() {
  process.stderr.write(
    `destination-analytics-service needs Node.js ${MAJOR}.${MINOR} or newer; this is ${process.versions.node} (${process.execPath}). Install a newer one: https://nodejs.org\n`,
  )
  process.exitCode = 2
}

if (/[\\/]check-node\.js$/.test(process.argv[1] ?? '') && !isNewEnough) refuse()
