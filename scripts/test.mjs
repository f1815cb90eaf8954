// Runs tests with vitest and takes its arguments. Without a file, a name or a project, it runs the projects that
// always run, and one test of each of the others. `npm run test:all` runs everything.
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, PACKAGES } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { killLeftovers } from './leftovers.mjs'
import { runNode, runScript, say } from './run.mjs'
import { makeTestsFolder } from './temporary.mjs'
import { addUp, hasFailed, ONE_FAILED, readSummary } from './test-summary.mjs'

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(PACKAGES)
  const args = process.argv.slice(2)
  const scope = process.env.TEST_SCOPE ?? findScope(args)
  if (scope) process.env.TEST_SCOPE = scope
  const folder = makeTestsFolder('countersign-test-')
  process.env.TMPDIR = folder
  try {
    const summary = process.env.TEST_SUMMARY_FILE ?? join(folder, 'summary')
    process.env.TEST_SUMMARY_FILE = summary
    const before = readSummary(summary).length
    const code = await runNode('node_modules/vitest/vitest.mjs', ['run', ...args])
    const remaining = await killLeftovers(folder)
    for (const { pid, command } of remaining) say(`Left running by a test, killed now: ${pid} ${command}`)
    const lines = readSummary(summary).slice(before)
    if (remaining.length === 0 && reportsOutcome(code, lines, args)) return code
    // Counts one more failure, in a last line of the usual form.
    appendFileSync(summary, `${ONE_FAILED}\n`)
    process.stdout.write(`${addUp([...lines, ONE_FAILED])}\n`)
    return code || 1
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
})

/**
 * True if the last line of vitest's output reports the outcome. It does not if the run ended before its
 * reporters, or if the run failed without a failed test, for example because of a secret in the server's log.
 * @param {number} code
 * @param {readonly string[]} lines
 * @param {readonly string[]} args
 */
function reportsOutcome(code, lines, args) {
  // These reporters were chosen by another program.
  if (args.some((arg) => arg.startsWith('--reporter'))) return true
  return lines.length > 0 && (code === 0 || hasFailed(lines))
}

/**
 * The scope of a run, as defined in test/projects.ts. Named files and projects are looked up in the full
 * scope.
 * @param {readonly string[]} args
 */
function findScope(args) {
  if (args.some((arg) => /^(?:-t|--testNamePattern)\b/.test(arg))) return 'all'
  return args.some((arg) => !arg.startsWith('-') || arg.startsWith('--project')) ? undefined : 'smoke'
}
