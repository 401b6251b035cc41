// What answers as a Kubernetes cluster does when objects are sent to it: its API server and etcd, built by Go from their modules,
// Kustomize, and the definitions of the custom resources that deploy/ has. Ten minutes on one core and 4 GB, of which 170 MB stay.

import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Part } from './part.ts'

const SOURCES = new URL('../cluster/programs/', import.meta.url).pathname
/** In the folder of the part. */
const PROGRAMS = ['etcd', 'kube-apiserver', 'kustomize'] as const
/** The folder in that of the part with the definitions of custom resources. */
export const DEFINITIONS = 'definitions'
const OLDEST_GO = 26

/** By module: the files that are kept of it. */
const CUSTOM = {
  'github.com/prometheus-operator/prometheus-operator@v0.94.0': [
    'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
  ],
  'github.com/kedacore/keda/v2@v2.21.0': [
    'config/crd/bases/keda.sh_scaledobjects.yaml',
    'config/crd/bases/keda.sh_triggerauthentications.yaml',
  ],
}

/** @param environment of Go: PATH, GOPROXY and the like; its caches are the part's own while it is made */
export function cluster(environment: NodeJS.ProcessEnv): Part {
  const run = async (args: readonly string[], options: { cwd?: string; signal: AbortSignal; env?: object }) =>
    (await promisify(execFile)('go', args, { ...options, env: { ...environment, ...options.env } })).stdout
  return {
    name: 'cluster',
    async recipe() {
      const files = PROGRAMS.flatMap((name) => ['main.go', 'go.mod', 'go.sum'].map((file) => join(SOURCES, name, file)))
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
      return [...texts, JSON.stringify(CUSTOM)].join('\0')
    },
    async obstacle(signal) {
      const version = await run(['version'], { signal }).catch(() => '')
      signal.throwIfAborted()
      const minor = /\bgo1\.(\d+)/.exec(version)?.[1]
      return Number(minor) >= OLDEST_GO ? undefined : `it needs Go 1.${OLDEST_GO} or newer, which cannot be run`
    },
    async make(folder, signal) {
      const work = join(folder, 'work')
      const env = {
        GOMODCACHE: join(work, 'modules'),
        GOCACHE: join(work, 'cache'),
        GOFLAGS: '-modcacherw',
        GOTOOLCHAIN: 'local',
        CGO_ENABLED: '0',
      }
      await mkdir(join(folder, DEFINITIONS), { recursive: true })
      for (const [module, files] of Object.entries(CUSTOM)) {
        const said = await run(['mod', 'download', '-json', module], { cwd: folder, signal, env })
        const { Dir } = JSON.parse(said) as { Dir: string }
        for (const file of files) await cp(join(Dir, file), join(folder, DEFINITIONS, basename(file)))
      }
      for (const name of PROGRAMS) {
        await cp(join(SOURCES, name), join(work, name), { recursive: true })
        const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', join(folder, name), '.']
        await run(args, { cwd: join(work, name), signal, env })
      }
      await rm(work, { recursive: true })
    },
    works: (folder) =>
      promisify(execFile)(join(folder, 'kube-apiserver'), ['--version']).then(
        () => true,
        () => false,
      ),
  }
}
