// Runs every test: all projects on the embedded database, and those that depend on the database also on PostgreSQL,
// including the full reliability tests, and Schemathesis if Python is installed. Needs PostgreSQL's programs.
//   node scripts/test-all.mjs          everything
//   node scripts/test-all.mjs --rest   everything that `npm test` leaves out
//   node scripts/test-all.mjs FILE…    these files, on both databases
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runNode, runScript, say } from './run.mjs'
import { addUp, readSummary } from './test-summary.mjs'

await runScript(async () => {
  const { values, positionals } = parseArgs({
    options: { rest: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const folder = mkdtempSync(join(tmpdir(), 'countersign-all-'))
  const summary = process.env.TEST_SUMMARY_FILE ?? join(folder, 'summary')
  process.env.TEST_SUMMARY_FILE = summary
  try {
    say('Tests on the embedded database …')
    process.env.TEST_SCOPE = values.rest ? 'rest' : 'all'
    const embedded = await runNode('scripts/test.mjs', positionals)
    say('Tests on PostgreSQL …')
    process.env.TEST_SCOPE = 'storage'
    process.env.RELIABILITY = 'full'
    const test = [process.execPath, 'scripts/test.mjs']
    const postgres = await runNode('scripts/postgres.mjs', ['--memory', '--', ...test, ...positionals])
    delete process.env.TEST_SCOPE
    delete process.env.RELIABILITY
    const schemathesis = positionals.length === 0 ? await runNode('scripts/test-schemathesis.mjs', []) : 0
    process.stdout.write(`${addUp(readSummary(summary))}\n`)
    return embedded || postgres || schemathesis
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
