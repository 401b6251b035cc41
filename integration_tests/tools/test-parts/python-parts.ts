// What tests and benches run in Python, as it is on PyPI: an environment each, for they need other versions of the same packages.

import type { Part } from './part.ts'
import { pythonEnvironment } from './python-environment.ts'

const part = (name: string, requirements: string) =>
  pythonEnvironment(name, new URL(`../../../${requirements}`, import.meta.url))

export const pyairbyte = part('pyairbyte', 'integration_tests/tools/pyairbyte/requirements.txt')

/** A source of PyAirbyte that makes its records up. */
export const sourceFaker = part('source-faker', 'integration_tests/tools/pyairbyte/requirements-source-faker.txt')

/** What the connector suite of the Airbyte CDK runs on; the suite itself is in PyAirbyte's environment. */
export const pytest = part('pytest', 'integration_tests/tools/image/requirements-pytest.txt')

/** Kafka's and the registries' reference clients. */
export const pythonKafka = part('python-kafka', 'integration_tests/registry/requirements.txt')

/** What `npm run bench -- peers` compares with. */
export const [peerCdk, peerSinger, peerDrt] = (['cdk', 'singer', 'drt'] as const).map((name) =>
  part(`peer-${name}`, `bench/peers/requirements-${name}.txt`),
) as [Part, Part, Part]
