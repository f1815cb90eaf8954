import { existsSync, readFileSync } from 'node:fs'

/** The summary of a run that failed outside of its tests. */
export const ONE_FAILED = '0 passed, 1 failed'

/**
 * The lines of a summary, each `N passed, N failed[, N skipped]`: one for each run.
 * @param {string} file
 */
export function readSummary(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

/**
 * One line for all of these.
 * @param {readonly string[]} lines
 */
export function sumOf(lines) {
  /** @param {string} word */
  const count = (word) =>
    lines.reduce((sum, line) => sum + Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0), 0)
  const skipped = count('skipped')
  return `${count('passed')} passed, ${count('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** @param {readonly string[]} lines */
export function hasFailed(lines) {
  return lines.some((line) => /[1-9]\d* failed/.test(line))
}
