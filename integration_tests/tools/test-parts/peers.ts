// What `npm run bench -- peers` compares with, as it is on PyPI: an environment each, for they need other versions of the same.

import { pythonEnvironment } from './python-environment.ts'

export const peerCdk = peer('cdk')
export const peerSinger = peer('singer')
export const peerDrt = peer('drt')

function peer(name: string) {
  const requirements = new URL(`../../../bench/peers/requirements-${name}.txt`, import.meta.url)
  return pythonEnvironment(`peer-${name}`, requirements)
}
