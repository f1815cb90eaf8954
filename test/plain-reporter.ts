import { appendFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'
import { projectNameOf } from './projects.ts'

/**
 * Ends the output with a line `N passed, N failed` for programs that read it, and fails a run without tests.
 * A test file that cannot be loaded and an error outside any test count as failed; tests that the run
 * excludes by tag are not counted. If `TEST_SUMMARY_FILE` names a file, the line is also written there, and
 * the names of what failed to a file with `.failed` appended to its name, one per line.
 */
export class PlainReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    const failed: string[] = unhandled.map(({ message }) => `outside of any test: ${firstLineOf(message)}`)
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      const file = `|${projectNameOf(module.moduleId)}| ${module.relativeModuleId}`
      const errors = [module, ...module.children.allSuites()].flatMap((part) => part.errors())
      count.failed += errors.length
      failed.push(...errors.map(({ message }) => `${file}: ${firstLineOf(message)}`))
      const [tags] = module.project.config.tagsFilter ?? []
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        if (tags === undefined || matchesTag(tags, test.tags)) count[state]++
        if (state === 'failed') failed.push(`${file} > ${test.fullName}: ${firstLineOf(errors[0]?.message)}`)
      }
    }
    const skipped = count.skipped + count.pending
    const line = `${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
    if (count.passed + count.failed === 0) {
      process.exitCode = 1
      process.stdout.write('No test ran.\n')
    }
    process.stdout.write(`${line}\n`)
    const file = process.env.TEST_SUMMARY_FILE
    if (!file) return
    appendFileSync(file, `${line}\n`)
    if (failed.length > 0) appendFileSync(`${file}.failed`, `${failed.join('\n')}\n`)
  }
}

/** True if a test with these tags matches the expression: a tag, or `!` and a tag. */
function matchesTag(expression: string, tags: readonly string[]): boolean {
  return expression.startsWith('!') ? !tags.includes(expression.slice(1)) : tags.includes(expression)
}

const firstLineOf = (message = '') => message.replace(/\n.*/s, '').slice(0, 300)
