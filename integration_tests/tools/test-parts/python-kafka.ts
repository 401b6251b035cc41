// Kafka's and the registries' reference clients for Python, as they are on PyPI.

import { pythonEnvironment } from './python-environment.ts'

export const pythonKafka = pythonEnvironment(
  'python-kafka',
  new URL('../../registry/requirements.txt', import.meta.url),
)
