// pytest, which the connector suite of the Airbyte CDK runs on; the suite itself is in PyAirbyte's environment.

import { pythonEnvironment } from './python-environment.ts'

export const pytest = pythonEnvironment('pytest', new URL('../image/requirements-pytest.txt', import.meta.url))
