// node skipped-files.ts FILE: the test files of which not every test ran, by the results in FILE; a path a line.

import { readFile } from 'node:fs/promises'
import { filesWithSkipped, type Results } from './results.ts'

const results = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as Results
for (const { name } of filesWithSkipped(results)) console.log(name)
