import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportGraph } from '../import-graph.ts'
import type { Source } from '../source-reading.ts'

/** The files that the ratchets search. */
export interface Tree {
  /** TypeScript, JavaScript and Markdown files. */
  readonly sources: readonly Source[]
  /** All files by path relative to the repository, including the generated documents that git ignores. */
  readonly paths: ReadonlySet<string>
  readonly graph: ImportGraph
  /** The generated files that are in git, with their line counts. */
  readonly generated: ReadonlyMap<string, number>
  /** The names of the root package's scripts. */
  readonly scripts: ReadonlySet<string>
}

/** Generated files that may be in git. */
const GENERATED = /\.(?:openapi|schema)\.json$|^docs\/reference\/.*\.jsonl?$|\/generated\//

/** Reads the files that git tracks, and new files that git does not ignore. */
export function readTree(root: string, graph: ImportGraph): Tree {
  const paths = git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').filter((path) =>
    existsSync(join(root, path)),
  )
  const readText = (path: string) => readFileSync(join(root, path), 'utf8')
  return {
    sources: paths
      .filter((path) => /\.(?:tsx?|mjs|md)$/.test(path))
      .map((path) => ({ path, text: readText(path) })),
    paths: new Set([
      ...paths,
      ...git(root, 'ls-files', '-z', '--others', '--ignored', '--exclude-standard', 'docs'),
    ]),
    graph,
    generated: new Map(
      paths
        .filter((path) => GENERATED.test(path))
        .map((path) => [path, readText(path).split('\n').length - 1]),
    ),
    scripts: new Set(Object.keys(JSON.parse(readText('package.json')).scripts)),
  }
}

/**
 * The files that have changed since `file` was last committed. If a number has risen, the cause is in one of
 * them.
 */
export function changedSince(root: string, file: string): Set<string> {
  const [commit] = git(root, 'log', '-1', '-z', '--format=%H', '--', file)
  const changed = commit === undefined ? [] : git(root, 'diff', '-z', '--name-only', commit)
  return new Set([...changed, ...git(root, 'ls-files', '-z', '--others', '--exclude-standard')])
}

function git(root: string, ...args: readonly string[]): string[] {
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return output.split('\0').filter(Boolean)
}
