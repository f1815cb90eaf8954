// Runs tests with vitest, whose arguments it takes. Without a file, a name or a project, it runs the projects
// that run always and one test of each of the others. `npm run test:all` runs everything.
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, PACKAGES } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { endProcessesOf } from './leftovers.mjs'
import { runNode, runScript, say } from './run.mjs'
import { makeTestsFolder } from './temporary.mjs'
import { hasFailed, ONE_FAILED, readSummary, sumOf } from './test-summary.mjs'

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(PACKAGES)
  const args = process.argv.slice(2)
  const scope = process.env.TEST_SCOPE ?? scopeOf(args)
  if (scope) process.env.TEST_SCOPE = scope
  const folder = makeTestsFolder('countersign-test-')
  process.env.TMPDIR = folder
  try {
    const summary = process.env.TEST_SUMMARY_FILE ?? join(folder, 'summary')
    process.env.TEST_SUMMARY_FILE = summary
    const before = readSummary(summary).length
    const code = await runNode('node_modules/vitest/vitest.mjs', ['run', ...args])
    const left = await endProcessesOf(folder)
    for (const { pid, command } of left) say(`Left running by a test, ended now: ${pid} ${command}`)
    const lines = readSummary(summary).slice(before)
    if (left.length === 0 && isTold(code, lines, args)) return code
    // One failure more, and the last line in the usual form.
    appendFileSync(summary, `${ONE_FAILED}\n`)
    process.stdout.write(`${sumOf([...lines, ONE_FAILED])}\n`)
    return code || 1
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
})

/**
 * True if the last line of vitest tells the outcome. It does not if the run ended before its reporters, or
 * failed without a failed test, such as by a secret in the server's log.
 * @param {number} code
 * @param {readonly string[]} lines
 * @param {readonly string[]} args
 */
function isTold(code, lines, args) {
  // These are another program's reporters.
  if (args.some((arg) => arg.startsWith('--reporter'))) return true
  return lines.length > 0 && (code === 0 || hasFailed(lines))
}

/**
 * The scope of a run, as test/projects.ts defines it. Named files and projects are searched in the full
 * scope.
 * @param {readonly string[]} args
 */
function scopeOf(args) {
  if (args.some((arg) => /^(?:-t|--testNamePattern)\b/.test(arg))) return 'all'
  return args.some((arg) => !arg.startsWith('-') || arg.startsWith('--project')) ? undefined : 'smoke'
}
