import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, sdkEntries } from './build.mjs'
import { ROOT, ScriptError, say } from './run.mjs'

const OUT = join(ROOT, 'sdk', 'dist')
const STAMP = join(OUT, '.declarations')

/**
 * Builds the sdk, then bundles its declarations next to the compiled files: one file per entry, and one for
 * shared code. The build removes files that it did not write, including declarations, so they never outlast
 * the compiled files.
 */
export async function ensureDeclarations() {
  await ensureBuilt(['sdk'])
  const expected = createHash('sha256')
    .update(readFileSync(join(OUT, '.build.json')))
    .update(readFileSync(join(ROOT, 'scripts', 'declarations.mjs')))
    .digest('hex')
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === expected) return
  const startedMs = performance.now()
  say('Building the declarations of the sdk …')
  rmSync(STAMP, { force: true })
  await bundleDeclarations()
  writeFileSync(STAMP, expected)
  say(`Built them in ${Math.round(performance.now() - startedMs)} ms.`)
}

async function bundleDeclarations() {
  const { rollup } = await import('rollup')
  const { dts } = await import('rollup-plugin-dts')
  const input = Object.fromEntries(sdkEntries().map(({ in: file, out }) => [out, join(ROOT, file)]))
  /** @type {string[]} */
  const warnings = []
  const bundle = await rollup({
    input,
    plugins: [includeWorkspaces(), dts({ tsconfig: join(ROOT, 'tsconfig.json') })],
    onwarn: ({ message }) => warnings.push(message),
  }).catch((error) => {
    throw new ScriptError(`The declarations of the sdk could not be built: ${error.message}`)
  })
  await bundle.write({
    dir: OUT,
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'types-[hash].d.ts',
  })
  await bundle.close()
  if (warnings.length > 0) throw new ScriptError(`The declarations of the sdk:\n${warnings.join('\n')}`)
}

/**
 * Includes the types of the other workspaces in the bundle, because those packages are not published.
 * Third-party packages stay outside.
 * @returns {import('rollup').Plugin}
 */
function includeWorkspaces() {
  return {
    name: 'within-workspace',
    resolveId(path) {
      const [, workspace, file] = /^@countersign\/(\w+)\/(.+)$/.exec(path) ?? []
      if (workspace !== undefined) return join(ROOT, workspace, 'src', `${file}.ts`)
      return null
    },
  }
}
