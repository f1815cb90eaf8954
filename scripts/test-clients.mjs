import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ensureInstalled } from './install.mjs'
import { ROOT, run, runNode, runScript, ScriptError, say } from './run.mjs'

const TOOLS = join(ROOT, 'e2e', 'generated-clients', 'tools')

/** Runs the tests of clients that others generate from the OpenAPI document. Needs npm's registry, once. */
await runScript(async () => {
  await ensureInstalled()
  process.env.CLIENT_TOOLS = await ensureTools()
  const args = ['run', '--config', 'e2e/generated-clients/vitest.config.ts', ...process.argv.slice(2)]
  return runNode('node_modules/vitest/vitest.mjs', args)
})

/** Installs the generators, which are too many to come with every clone, unless they are there. Returns their folder. */
async function ensureTools() {
  const hash = createHash('sha256')
    .update(readFileSync(join(TOOLS, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16)
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(cache, 'countersign', `client-tools-${hash}`)
  const stamp = join(folder, '.installed')
  if (existsSync(stamp)) return folder
  say(`Installing generators of clients into ${folder} …`)
  mkdirSync(folder, { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(TOOLS, file), join(folder, file))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  // Not `npm ci`: a registry without the binaries of other systems makes a lock that `ci` takes for incomplete.
  const code = await run('npm', ['install', ...quiet], { cwd: folder, stdio: ['ignore', 2, 2] })
  if (code !== 0) throw new ScriptError(`npm install failed with code ${code}; see its output above.`)
  writeFileSync(stamp, '')
  return folder
}
