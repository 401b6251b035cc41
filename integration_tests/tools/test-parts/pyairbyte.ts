// PyAirbyte, as it is on PyPI.

import { pythonEnvironment } from './python-environment.ts'

export const pyairbyte = pythonEnvironment('pyairbyte', new URL('../pyairbyte/requirements.txt', import.meta.url))
