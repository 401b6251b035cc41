// `npm run build`: dist/main.js and a chunk a command, with everything they need inside. Chunks of src/commands stay in a
// folder of that name, for they find files of the package by their own place.

import { defineConfig } from 'rolldown'

export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  external: [/^node:/],
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    chunkFileNames: (chunk) => (chunk.facadeModuleId?.includes('/commands/') ? 'commands/[name].js' : '[name].js'),
  },
})
