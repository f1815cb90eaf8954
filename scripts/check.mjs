import { ensureGenerated } from './generate.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runNode, runScript, ScriptError, say } from './run.mjs'
import { importTypeScript } from './typescript.mjs'

/** The steps, each with the file that Node runs. */
const TOOL_STEPS = [
  {
    name: 'format and lint',
    file: 'node_modules/@biomejs/biome/bin/biome',
    args: ['check', '--error-on-warnings'],
  },
  { name: 'types', file: 'node_modules/typescript/bin/tsc', args: ['--noEmit'] },
  { name: 'packages', file: 'scripts/packages.mjs', args: [] },
  { name: 'rules of the tree and ratchets', file: 'scripts/ratchets.mjs', args: ['--check'] },
]
const TREE_STEP = {
  name: 'documents, their tables, and the rules themselves',
  file: 'node_modules/vitest/vitest.mjs',
  args: ['run', '--project', 'tree'],
}
const TEST_STEP = { name: 'tests of npm test', file: 'scripts/test.mjs', args: [] }

/** The steps of a run, by flag. `npm test` includes the project `tree`. */
const STEPS = new Map([
  [undefined, [...TOOL_STEPS, TEST_STEP]],
  ['--static', [...TOOL_STEPS, TREE_STEP]],
  ['--tools', TOOL_STEPS],
])

const USAGE = `Usage: npm run check [-- --static | --tools | --graph [wing]]
  --static  no tests that need a server
  --tools   no tests
  --graph   prints which wing of the server imports which, or which room of one wing`

await runScript(async () => {
  const [flag, wing, ...rest] = process.argv.slice(2)
  const steps = STEPS.get(flag)
  const isKnown = flag === '--graph' || (steps !== undefined && wing === undefined)
  if (!isKnown || rest.length > 0) throw new ScriptError(USAGE)
  await ensureInstalled()
  await ensureGenerated()
  if (steps === undefined) return printGraph(wing)
  for (const { name, file, args } of steps) {
    say(`Checking ${name} …`)
    const code = await runNode(file, args)
    if (code === 0) continue
    say(`The check "${name}" failed.`)
    return code
  }
  return 0
})

/**
 * Prints which wings of the server import which, or which rooms within one wing.
 * @param {string} [wing]
 */
async function printGraph(wing) {
  const { WINGS } = await importTypeScript('test/folders.ts')
  if (wing !== undefined && !(wing in WINGS))
    throw new ScriptError(`${wing} is not a wing. The wings are ${Object.keys(WINGS).join(', ')}.`)
  const { describeGraph, readImports } = await importTypeScript('test/import-graph.ts')
  const { graph } = await readImports(ROOT)
  process.stdout.write(`${describeGraph(graph, wing)}\n`)
  return 0
}
