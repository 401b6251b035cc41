// A source that makes its records up. It needs other versions of the packages PyAirbyte needs, so it is a part of its own.

import { pythonEnvironment } from './python-environment.ts'

const REQUIREMENTS = new URL('../pyairbyte/requirements-source-faker.txt', import.meta.url)

export const sourceFaker = pythonEnvironment('source-faker', REQUIREMENTS)
