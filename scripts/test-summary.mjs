import { existsSync, readFileSync } from 'node:fs'

/** The summary of a run that failed outside its tests. */
export const ONE_FAILED = '0 passed, 1 failed'

/**
 * The lines of a summary, one for each run, in the form `N passed, N failed[, N skipped]`.
 * @param {string} file
 */
export function readSummary(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

/**
 * Adds the lines up in a single line.
 * @param {readonly string[]} lines
 */
export function addUp(lines) {
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
