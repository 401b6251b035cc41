// `npm run bench -- kafka`: our `stream` on a real broker beside the ordinary consumer, and with a route beside none, measured and judged. Exit code 1 when
// a bar is missed. KAFKA_BROKERS uses yours.

import { fileURLToPath } from 'node:url'
import { startBroker } from '../../integration_tests/kafka/broker.ts'
import { BenchCommand } from '../bench-command.ts'
import { judgeServer } from '../judge.ts'
import { startServer } from '../start-server.ts'
import { BenchTopics } from './bench-topics.ts'
import { judgeKafka } from './judge.ts'
import { tableOfKafkaRows } from './report.ts'
import { runKafkaScenario } from './run-scenario.ts'
import { KAFKA_SCENARIOS, type KafkaScenario } from './scenarios.ts'

const command = BenchCommand.open({
  command: 'npm run bench -- kafka',
  names: KAFKA_SCENARIOS.map(({ name }) => name),
  sent: 'messages',
  complete: 'every message arrives and is committed',
  program: here('../../dist/main.js'),
})
if (command) await main(command)

async function main(command: BenchCommand): Promise<void> {
  const { program, rounds, progress, signal } = command
  const { KAFKA_BROKERS } = process.env
  await using broker = KAFKA_BROKERS ? undefined : await startBroker({ quickStart: false, heap: '512m', signal })
  await using topics = await BenchTopics.connect(KAFKA_BROKERS || broker!.bootstrap, progress)
  await using server = await startServer()
  const programs = { ours: program, ordinary: here('ordinary-consumer.mjs') }
  const bench = { programs, topics, server, rounds, progress }
  const scenarios = command.quick ? KAFKA_SCENARIOS.map(tenth) : KAFKA_SCENARIOS
  const { rows, verdicts } = await command.run(scenarios, (it) => runKafkaScenario(it, bench, signal), judgeKafka)
  verdicts.push(...judgeServer(rows))
  command.report(`${tableOfKafkaRows(rows)}\n`, verdicts)
}

function tenth(scenario: KafkaScenario): KafkaScenario {
  const { beside, ours } = scenario.messages
  return { ...scenario, messages: { beside: beside / 10, ours: ours / 10 } }
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
