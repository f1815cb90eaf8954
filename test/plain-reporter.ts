import { appendFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'
import { projectNameOf } from './projects.ts'

/**
 * Ends the run with `N passed, N failed` on its own line, for programs that read the output, and fails a run without
 * tests. A test file that cannot be loaded and an error outside of any test count as failed; tests that the run
 * leaves out by their tags are not counted. `TEST_SUMMARY_FILE` names a file that gets the line too; what failed is named in the file
 * of that name and `.failed`, a line each.
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
        if (tags === undefined || isChosen(tags, test.tags)) count[state]++
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

/** True if a test with these tags fits an expression of `tagsOf`: a tag, or `!` and a tag. */
function isChosen(expression: string, tags: readonly string[]): boolean {
  return expression.startsWith('!') ? !tags.includes(expression.slice(1)) : tags.includes(expression)
}

const firstLineOf = (message = '') => message.replace(/\n.*/s, '').slice(0, 300)
