import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureGenerated } from './generate.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runNode, runScript, ScriptError, say } from './run.mjs'

/** Each step with the file that Node runs. The first two need no test run: `--static` stops after them. */
const STATIC_STEPS = [
  {
    name: 'format and lint',
    file: 'node_modules/@biomejs/biome/bin/biome',
    args: ['check', '--error-on-warnings'],
  },
  { name: 'types', file: 'node_modules/typescript/bin/tsc', args: ['--noEmit'] },
]
const TEST_STEPS = [
  { name: 'rules of the source tree', file: 'scripts/test.mjs', args: ['test/source-tree.test.ts'] },
  { name: 'all tests', file: 'scripts/test.mjs', args: [] },
]

await runScript(async () => {
  const [flag, ...rest] = process.argv.slice(2)
  if (rest.length > 0 || (flag !== undefined && !['--static', '--graph'].includes(flag)))
    throw new ScriptError(
      'Usage: npm run check [-- --static | --graph]   (--static: no tests; --graph: prints which folder imports which)',
    )
  await ensureInstalled()
  await ensureGenerated()
  if (flag === '--graph') return printGraph()
  for (const { name, file, args } of flag === '--static' ? STATIC_STEPS : [...STATIC_STEPS, ...TEST_STEPS]) {
    say(`Checking ${name} …`)
    const code = await runNode(file, args)
    if (code === 0) continue
    say(`The check "${name}" failed.`)
    return code
  }
  return 0
})

/** Prints the graph of folders that the rules of the source tree hold. */
async function printGraph() {
  const esbuild = await import('esbuild')
  const folder = join(ROOT, 'node_modules', '.cache', 'countersign')
  await mkdir(folder, { recursive: true })
  const outfile = join(folder, 'folder-graph.mjs')
  await esbuild.build({
    entryPoints: [join(ROOT, 'test', 'folder-graph.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['typescript'],
    logLevel: 'warning',
  })
  const { folderGraph } = await import(pathToFileURL(outfile).href)
  process.stdout.write(`${folderGraph(ROOT)}\n`)
  return 0
}
