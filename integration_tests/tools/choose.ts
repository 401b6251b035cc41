// `npm run bench|soak|figures|pin -- [NAME] [options]`: a script of several programs starts the one that is named, with what follows.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Choice {
  readonly file: string
  /** It measures the program as it is published. */
  readonly needsBuild?: true
}

/** By script and name. The one without a name is started when an option or nothing comes first. */
export const CHOICES: Readonly<Record<string, Readonly<Record<string, Choice>>>> = {
  bench: {
    '': { file: 'bench/run.ts', needsBuild: true },
    adaptive: { file: 'bench/adaptive/run.ts', needsBuild: true },
    kafka: { file: 'bench/kafka/run.ts', needsBuild: true },
    peers: { file: 'bench/peers/run.ts', needsBuild: true },
    decode: { file: 'bench/decode.ts' },
    scan: { file: 'bench/scan.ts' },
    service: { file: 'bench/local-service.ts' },
  },
  soak: {
    '': { file: 'integration_tests/soak/run.ts' },
    kafka: { file: 'integration_tests/stream/soak.ts' },
    identity: { file: 'integration_tests/identity/soak.ts' },
  },
  figures: {
    '': { file: 'integration_tests/tools/figures.ts' },
    loaded: { file: 'integration_tests/loaded/measure.ts' },
  },
  pin: {
    'test-parts': { file: 'integration_tests/tools/test-parts/pin.ts' },
    images: { file: 'integration_tests/tools/image/pin.ts' },
    platformatic: { file: 'integration_tests/tools/platformatic.ts' },
  },
}

const ROOT = join(import.meta.dirname, '../..')

if (import.meta.main) {
  const [node, , script = '', ...args] = process.argv
  const name = args[0] === undefined || args[0].startsWith('-') ? '' : args.shift()!
  const choices = CHOICES[script] ?? {}
  const chosen = Object.hasOwn(choices, name) ? choices[name] : undefined
  if (chosen === undefined) {
    const names = Object.keys(choices).filter(Boolean).join(', ')
    console.error(
      `Usage: npm run ${script} -- ${Object.hasOwn(choices, '') ? '[NAME]' : 'NAME'} [options]\n\nNAME: ${names}`,
    )
    process.exitCode = 2
  } else {
    if (chosen.needsBuild) execFileSync(node!, [join(ROOT, 'rolldown.config.ts')], { stdio: 'inherit' })
    const file = join(ROOT, chosen.file)
    // as if it had been started itself: it reads its own arguments
    process.argv = [node!, file, ...args]
    await import(pathToFileURL(file).href)
  }
}
