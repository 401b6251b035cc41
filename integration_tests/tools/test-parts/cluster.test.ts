import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cluster } from './cluster.ts'
import { fetchPart, findPart } from './part.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const { signal } = new AbortController()
const folder = ownFolder('test')

/** A machine whose Go says this version, downloads any module, and builds programs that say nothing. */
async function machine(version: string): Promise<NodeJS.ProcessEnv> {
  const modules = join(folder, 'any')
  const go = `#!/bin/sh
PATH=/usr/bin:/bin
case $1 in
  version) echo "go version ${version} linux/amd64" ;;
  mod) mkdir -p ${modules}/example/prometheus-operator-crd ${modules}/config/crd/bases
    for kind in prometheusrules servicemonitors; do
      echo a >${modules}/example/prometheus-operator-crd/monitoring.coreos.com_$kind.yaml; done
    for kind in scaledobjects triggerauthentications; do echo a >${modules}/config/crd/bases/keda.sh_$kind.yaml; done
    echo '{"Dir":"${modules}"}' ;;
  build) [ -d "$GOCACHE" ] || mkdir -p "$GOCACHE"
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\n' >"$2"; chmod 755 "$2" ;;
esac
`
  await writeFile(join(folder, 'go'), go, { mode: 0o755 })
  return { PATH: folder }
}

it.each([
  ['no Go', async (): Promise<NodeJS.ProcessEnv> => ({ PATH: folder })],
  ['an old Go', () => machine('go1.19.8')],
])('cannot be had with %s', async (_, environment) => {
  const fetched = await fetchPart(join(folder, 'parts'), cluster(await environment()), signal)
  expect(fetched).toEqual({ status: 'impossible', reason: 'it needs Go 1.26 or newer, which cannot be run' })
})

it('is three programs and four definitions, and nothing of what Go kept', async () => {
  const part = cluster(await machine('go1.26.8'))
  const { status } = await fetchPart(join(folder, 'parts'), part, signal)
  expect(status).toBe('made')
  const made = (await findPart(join(folder, 'parts'), part))!
  expect(globSync('**/*', { cwd: made }).toSorted()).toEqual([
    'definitions',
    'definitions/keda.sh_scaledobjects.yaml',
    'definitions/keda.sh_triggerauthentications.yaml',
    'definitions/monitoring.coreos.com_prometheusrules.yaml',
    'definitions/monitoring.coreos.com_servicemonitors.yaml',
    'etcd',
    'kube-apiserver',
    'kustomize',
  ])
})
