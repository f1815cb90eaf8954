import { ensureInstalled } from './install.mjs'
import { runNode, runScript, ScriptError, say } from './run.mjs'

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
  if (rest.length > 0 || (flag !== undefined && flag !== '--static'))
    throw new ScriptError('Usage: npm run check [-- --static]   (--static: no tests)')
  await ensureInstalled()
  for (const { name, file, args } of flag === '--static' ? STATIC_STEPS : [...STATIC_STEPS, ...TEST_STEPS]) {
    say(`Checking ${name} …`)
    const code = await runNode(file, args)
    if (code === 0) continue
    say(`The check "${name}" failed.`)
    return code
  }
  return 0
})
