import { appendFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends the run with `N passed, N failed` alone on its line, for programs that read the output, and fails a run without
 * tests. A test file that cannot be loaded and an error outside of any test count as failed. `TEST_SUMMARY_FILE` names
 * a file that gets the line too.
 */
export class PlainReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      count.failed += module.errors().length
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length
      for (const test of module.children.allTests()) count[test.result().state]++
    }
    const skipped = count.skipped + count.pending
    const line = `${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
    if (count.passed + count.failed === 0) {
      process.exitCode = 1
      process.stdout.write('No test ran.\n')
    }
    process.stdout.write(`${line}\n`)
    const file = process.env.TEST_SUMMARY_FILE
    if (file) appendFileSync(file, `${line}\n`)
  }
}
