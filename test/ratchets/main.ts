import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readImports } from '../import-graph.ts'
import { measureSlowdown } from '../machine-speed.ts'
import { RULES } from '../source-rules.ts'
import { compare, compareSeconds, type Limits } from './compare.ts'
import { type Measured, measure } from './numbers.ts'
import { changedSince, readTree } from './tree.ts'

const FILE = 'ratchets.json'
const SECONDS_FILE = 'node_modules/.cache/countersign/test-seconds.json'

interface RatchetFile {
  readonly counts: Limits
  readonly 'test seconds': Limits
}

export interface Options {
  /** Writes lower and new numbers to the file. */
  readonly lower?: boolean
  /** Prints the places of this number, or a table of all numbers if empty. */
  readonly list?: string
}

interface Result {
  readonly text: string
  /** The exit code. */
  readonly code: number
}

/**
 * Checks the rules of the tree and the ratchets of the repository at `root`. Returns the text to print and
 * the exit code.
 */
export async function checkRatchets(root: string, options: Options): Promise<Result> {
  const { graph, violations: imports } = await readImports(root)
  const tree = readTree(root, graph)
  const measured = measure(tree)
  if (options.list !== undefined) return { text: list(measured, options.list), code: 0 }
  const code = tree.sources.filter(({ path }) => !path.endsWith('.md'))
  const violations = [...imports, ...Object.values(RULES).flatMap((rule) => code.flatMap(rule))]
  const file = read<RatchetFile>(join(root, FILE)) ?? { counts: {}, 'test seconds': {} }
  const { problems, lowered } = compare(measured, file.counts, changedSince(root, FILE))
  const seconds = read<Limits>(join(root, SECONDS_FILE))
  if (options.lower) {
    const written: RatchetFile = {
      ...file,
      counts: lowered,
      'test seconds': { ...roundSeconds(seconds), ...file['test seconds'] },
    }
    writeFileSync(join(root, FILE), `${JSON.stringify(written, null, 2)}\n`)
    return report([...violations, ...compare(measured, lowered).problems], measured.length)
  }
  const slow = seconds ? compareSeconds(seconds, file['test seconds'], measureSlowdown()) : []
  const result = report([...violations, ...problems, ...slow], measured.length)
  return seconds
    ? result
    : { ...result, text: `${result.text}\nNo test seconds yet: run the tests to have them checked.` }
}

/** Rounded limits for projects that have none yet. */
function roundSeconds(seconds: Limits = {}): Limits {
  return Object.fromEntries(Object.entries(seconds).map(([project, used]) => [project, Math.ceil(used)]))
}

function report(problems: readonly string[], count: number): Result {
  if (problems.length > 0) return { text: problems.join('\n'), code: 1 }
  return { text: `The tree follows its rules, and all ${count} numbers are as in ${FILE}.`, code: 0 }
}

function list(measured: readonly Measured[], name: string): string {
  const width = Math.max(...measured.map(({ name }) => name.length))
  if (name === '') return measured.map(({ name, value }) => `${name.padEnd(width)} ${value}`).join('\n')
  const found = measured.filter((number) => number.name.includes(name))
  if (found.length === 0) return `No number has "${name}" in its name.`
  return found
    .map(({ name, value, advice, places }) => [`${name}: ${value} (${advice})`, ...places].join('\n  '))
    .join('\n')
}

function read<T>(file: string): T | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
