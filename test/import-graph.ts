import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser'
import { WINGS } from './folders.ts'
import { IMPORT_RULES, SOURCE_FOLDERS } from './import-rules.ts'
import type { Violation } from './source-reading.ts'
import { isTest } from './source-rules.ts'

/** The files that each file of the repository imports, including type imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

export interface Imports {
  readonly graph: ImportGraph
  readonly violations: readonly Violation[]
}

/** Reads every import in `root`: the repository, or a folder with the same layout. */
export async function readImports(root: string): Promise<Imports> {
  const { output } = await cruise(
    SOURCE_FOLDERS.filter((folder) => existsSync(join(root, folder))),
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: IMPORT_RULES },
      tsPreCompilationDeps: true,
      skipAnalysisNotInRules: true,
      doNotFollow: { path: 'node_modules' },
      exclude: { path: '(?:^|/)dist/|^e2e/(?:generated-clients/clients|packages/consumer)/' },
      enhancedResolveOptions: {
        exportsFields: ['exports'],
        conditionNames: ['import', 'node', 'default'],
        extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      },
    },
    // Maps the built files that package.json exports to their sources.
    {
      alias: {
        '@countersign/sdk$': `${root}/sdk/src/index.ts`,
        '@countersign/sdk/react/styles.css$': `${root}/sdk/src/react/styles.css`,
        '@countersign/sdk': `${root}/sdk/src/entries`,
      },
    },
  )
  const { modules, summary } = output as ICruiseResult
  const comments = new Map(IMPORT_RULES.map(({ name, comment }) => [name, comment]))
  return {
    graph: buildGraph(modules),
    violations: summary.violations.map(
      ({ from, to, rule }) => `${from}: imports ${to}: ${comments.get(rule.name)}`,
    ),
  }
}

function buildGraph(modules: readonly IModule[]): ImportGraph {
  const sourceModules = modules.filter(({ source }) =>
    SOURCE_FOLDERS.includes(source.slice(0, source.indexOf('/'))),
  )
  const names = new Set(sourceModules.map(({ source }) => source))
  return new Map(
    sourceModules.map(({ source, dependencies }) => [
      source,
      dependencies.map(({ resolved }) => resolved).filter((resolved) => names.has(resolved)),
    ]),
  )
}

/**
 * Finds import cycles: the sets of files in which each imports all others, directly or indirectly (Tarjan's
 * algorithm).
 */
export function findCycles(graph: ImportGraph): string[][] {
  const cycles: string[][] = []
  const seenAt = new Map<string, number>()
  const stack: string[] = []
  const done = new Set<string>()
  const visit = (file: string): number => {
    const index = seenAt.size
    seenAt.set(file, index)
    stack.push(file)
    let lowest = index
    for (const imported of graph.get(file) ?? [])
      if (!done.has(imported)) lowest = Math.min(lowest, seenAt.get(imported) ?? visit(imported))
    if (lowest < index) return lowest
    const cycle = stack.splice(stack.indexOf(file))
    for (const member of cycle) done.add(member)
    if (cycle.length > 1) cycles.push(cycle.sort())
    return lowest
  }
  for (const file of graph.keys()) if (!seenAt.has(file)) visit(file)
  return cycles
}

/** Prints the server's wings and their imports, or the rooms of one wing. */
export function describeGraph(graph: ImportGraph, wing?: string): string {
  const root = wing === undefined ? 'server/src' : `server/src/${wing}`
  const rooms = new Map<string, readonly string[]>(Object.entries(WINGS))
  const order = (wing === undefined ? Object.keys(WINGS) : rooms.get(wing)) ?? []
  const folderOf = (path: string) =>
    path.startsWith(`${root}/`) ? order.find((name) => path.startsWith(`${root}/${name}/`)) : undefined
  const edges = new Map(order.map((name) => [name, new Set<string>()]))
  for (const [path, imported] of graph) {
    const from = folderOf(path)
    if (from === undefined || isTest(path)) continue
    for (const target of imported) {
      const to = folderOf(target)
      if (to !== undefined && to !== from) edges.get(from)?.add(to)
    }
  }
  const lines = order.map((name) => {
    const below = order.filter((other) => edges.get(name)?.has(other))
    return `  ${name}${below.length > 0 ? ` → ${below.join(', ')}` : ''}`
  })
  return [`${root}, from the ground up:`, ...lines].join('\n')
}
