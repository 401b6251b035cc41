// `npm run build`: dist/main.js and a chunk a command, with everything they need inside. Chunks of src/commands stay in a
// folder of that name, for they find files of the package by their own place; a package is a chunk of its own, so a command
// loads those it uses. Beside them lie the page's files, which are sent as they are, and the licences of the packages.

import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, defineConfig } from 'rolldown'
import type { BuildOptions, Plugin } from 'rolldown'

const PAGE = 'src/local-service/page'
const FILE = 'THIRD-PARTY-LICENSES'
const RULE = '='.repeat(80)

const config = defineConfig({
  input: { main: 'src/start.js' },
  platform: 'node',
  external: [/^node:/],
  plugins: [
    {
      name: 'page files',
      generateBundle() {
        for (const name of readdirSync(PAGE).filter((name) => /\.(?:html|css|js|svg)$/.test(name))) {
          this.emitFile({ type: 'asset', fileName: `page/${name}`, source: readFileSync(`${PAGE}/${name}`) })
        }
      },
    },
    thirdPartyLicenses(),
    {
      name: 'executable',
      // an installed command is a link to it, and npm sets the mode only once
      writeBundle: ({ dir }) => chmodSync(`${dir}/main.js`, 0o755),
    },
  ],
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: ({ facadeModuleId: module }) => {
      if (module?.endsWith('/src/main.ts')) return 'program.js'
      return module?.includes('/commands/') ? 'commands/[name].js' : '[name].js'
    },
    codeSplitting: { groups: [{ debugName: 'packages', name: chunkOfPackage, test: /[\\/]node_modules[\\/]/ }] },
    comments: { jsdoc: false, legal: true, annotation: false },
  },
})

export default config

// run by itself: rolldown's own command prints a list of all files, which nobody who installs has asked for
if (import.meta.main) await build(config as BuildOptions)

/** `@a/b` is npm/a-b.js. */
function chunkOfPackage(id: string): string {
  const [, name] = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)!
  return `npm/${name!.replace('@', '').replace(/[\\/]/, '-')}`
}

/** What the bundle holds of others, and their licences: one file beside it, made of the licence files of every package that went
 *  in. The build fails for a package without one. */
function thirdPartyLicenses(): Plugin {
  return {
    name: 'third-party licences',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      this.emitFile({ type: 'asset', fileName: FILE, source: licensesOf(modules) })
    },
  }
}

/** @param modules ids as the bundler gives them. @throws for a package without a licence file */
function licensesOf(modules: readonly string[]): string {
  const packages = new Map<string, Set<string>>()
  for (const id of modules) {
    const root = packageOf(id)
    if (root === undefined) continue
    const texts = packages.get(root) ?? new Set()
    packages.set(root, texts)
    for (const text of textsFor(id.startsWith(root) ? dirname(id) : root, root)) texts.add(text)
  }
  const sections = [...packages].map(([root, texts]) => section(root, [...texts]))
  const head = 'Parts of these packages are in this program, each under its own licence:\n'
  return [head, ...sections.toSorted()].join(`\n${RULE}\n`)
}

/** The folder of the package a module belongs to; undefined for our own. */
function packageOf(id: string): string | undefined {
  if (id.startsWith('\0rolldown/')) return join(import.meta.dirname, 'node_modules/rolldown')
  // the last one, for a package may bring its own
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0]
}

/** Of a folder and those above it within the package: what was taken over from somewhere else brings its own licence along. */
function* textsFor(folder: string, root: string): Generator<string> {
  for (let at = folder; at.startsWith(root); at = dirname(at)) {
    for (const name of readdirSync(at)) {
      if (/^(?:licen[cs]e|copying|notice)(?:\.(?:md|txt))?$/i.test(name))
        yield readFileSync(join(at, name), 'utf8').trim()
    }
  }
}

function section(root: string, texts: readonly string[]): string {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>
  const title = `${String(manifest['name'])} ${String(manifest['version'])} (${String(manifest['license'])})`
  if (texts.length === 0) throw new Error(`${title} is in the bundle and has no licence file in ${root}`)
  return [title, ...texts, ''].join('\n\n')
}
