import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cluster } from './cluster.ts'
import { ownMachine } from './machine.ts'

const machine = ownMachine()

/** Whose Go says this version, downloads any module, and builds programs that say nothing. */
function withGo(version: string): Promise<NodeJS.ProcessEnv> {
  const modules = join(machine.folder, 'any')
  const go = `case $1 in
  version) echo "go version ${version} linux/amd64" ;;
  mod) mkdir -p ${modules}/example/prometheus-operator-crd ${modules}/config/crd/bases
    for kind in prometheusrules servicemonitors; do
      echo a >${modules}/example/prometheus-operator-crd/monitoring.coreos.com_$kind.yaml; done
    for kind in scaledobjects triggerauthentications; do echo a >${modules}/config/crd/bases/keda.sh_$kind.yaml; done
    echo '{"Dir":"${modules}"}' ;;
  build) [ -d "$GOCACHE" ] || mkdir -p "$GOCACHE"
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\n' >"$2"; chmod 755 "$2" ;;
esac`
  return machine.having({ go })
}

it.each([
  ['no Go', () => machine.having({})],
  ['an old Go', () => withGo('go1.19.8')],
])('cannot be had with %s', async (_, environment) => {
  const fetched = await machine.fetch(cluster(await environment()))
  expect(fetched).toEqual({ status: 'impossible', reason: 'it needs Go 1.26 or newer, which cannot be run' })
})

it('is three programs and four definitions, and nothing of what Go kept', async () => {
  const made = await machine.made(cluster(await withGo('go1.26.8')))
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
