import { expect, it } from 'vitest'
import { startCommand } from './start-command.ts'

const bin = 'node_modules/.bin/destination-analytics-service'
const image = 'docker run --rm destination-analytics-service'

it.each([
  ['a script of npm, of a checkout', '/c/src/start.js', { npm_lifecycle_event: 'demo' }, 'npm start --'],
  ['another script of npm', '/c/src/start.js', { npm_lifecycle_event: 'test' }, 'node src/start.js'],
  ['a checkout', '/c/src/start.js', {}, 'node src/start.js'],
  ['a checkout that is elsewhere', '/d/src/start.js', {}, 'node /d/src/start.js'],
  ['a package installed here', `/c/${bin}`, {}, 'npx destination-analytics-service'],
  ['a package that npx fetched', `/h/.npm/_npx/1/${bin}`, {}, 'npx destination-analytics-service'],
  ['a package on the PATH', '/bin/destination-analytics-service', {}, 'destination-analytics-service'],
  ['an image', '/airbyte/dist/main.js', { START_COMMAND: image }, image],
])('is that of %s', (_, script, env, command) => {
  expect(startCommand({ script, folder: '/c', env })).toBe(command)
})

it('is what was typed of a single file, also under npm', () => {
  const started = { script: '/c/dist/x', executable: 'dist/x', folder: '/c', env: { npm_lifecycle_event: 'start' } }
  expect(startCommand(started)).toBe('dist/x')
})
