import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface Project {
  readonly name: string
  /** Claims the files in this folder. */
  readonly folder?: string
  /** Claims the files that import one of these modules, named by file name without `.ts`. */
  readonly imports?: readonly string[]
  /**
   * The part that `npm test` runs: `always` is everything except tests tagged `long`, `smoke` only tests
   * tagged `smoke`, and `script` nothing, because the project has its own npm script.
   */
  readonly run: 'always' | 'smoke' | 'script'
  /** True if its tests use the empty databases and the server shared by the whole run. */
  readonly needsServer?: true
  /** True if its tests of the server depend on the database, so that they run on PostgreSQL too. */
  readonly onBothDatabases?: true
}

/**
 * The test projects. A test file belongs to the first project that claims it, and therefore to exactly one.
 * CONTRIBUTING.md explains what to run, and `npm run test:projects` prints the project of each file.
 */
export const PROJECTS: readonly Project[] = [
  { name: 'packages', folder: 'e2e/packages/', run: 'script', needsServer: true },
  { name: 'clients', folder: 'e2e/generated-clients/', run: 'script', needsServer: true },
  { name: 'schemathesis', folder: 'e2e/schemathesis/', run: 'script', needsServer: true },
  { name: 'browser', imports: ['browser.testing'], run: 'script', needsServer: true },
  { name: 'sim', folder: 'sim/test/', run: 'smoke' },
  { name: 'bench', folder: 'bench/test/', run: 'smoke' },
  {
    name: 'reliability',
    folder: 'server/test/reliability/',
    run: 'smoke',
    needsServer: true,
    onBothDatabases: true,
  },
  { name: 'guides', imports: ['guide.testing', 'event-world.testing'], run: 'smoke', needsServer: true },
  { name: 'chains', imports: ['chain.testing'], run: 'smoke', needsServer: true },
  {
    name: 'processes',
    imports: ['node:child_process', 'bank-process.testing', 'mcp.testing', 'server-process.testing'],
    run: 'smoke',
    needsServer: true,
    onBothDatabases: true,
  },
  {
    name: 'banks',
    imports: ['ach-bank.testing', 'bacs.testing', 'file-bank.testing', 'month.testing'],
    run: 'smoke',
    needsServer: true,
    onBothDatabases: true,
  },
  { name: 'tree', folder: 'test/', run: 'always' },
  {
    name: 'walks',
    folder: 'server/test/walks/',
    run: 'smoke',
    needsServer: true,
    onBothDatabases: true,
  },
  {
    name: 'worlds',
    imports: [
      'production.testing',
      'committer-steps.testing',
      'databases.testing',
      'example-world.testing',
      'mail.testing',
      'postgres',
      'server.testing',
      'world.testing',
    ],
    run: 'smoke',
    needsServer: true,
    onBothDatabases: true,
  },
  {
    name: 'http',
    imports: ['agents.testing', 'backend.testing', 'client.testing', 'platform.testing', 'shop.testing'],
    run: 'always',
    needsServer: true,
    onBothDatabases: true,
  },
  { name: 'unit', folder: '', run: 'always' },
]

/**
 * The scope of a run, from the environment variable TEST_SCOPE. Everything runs if it is unset. `smoke` is
 * what `npm test` runs: projects that always run, without tests tagged `long`, and tests tagged `smoke`.
 * `all` is everything without its own script, `rest` is what `npm test` omits, and `storage` is what depends
 * on the database.
 */
export type Scope = 'smoke' | 'all' | 'rest' | 'storage' | undefined

/** Selects the tests of a project in a scope, as a vitest tag expression. Undefined means all. */
export function selectTags(run: Project['run'], scope: Scope): string | undefined {
  if (scope === 'smoke') return run === 'smoke' ? 'smoke' : '!long'
  return scope === 'rest' && run === 'always' ? 'long' : undefined
}

/** Selects the files of a project in a scope. */
export function selectFiles(project: Project, scope: Scope, files: readonly TestFile[]): readonly TestFile[] {
  const projectFiles = files.filter((file) => file.project === project.name)
  if (scope === undefined) return projectFiles
  if (project.run === 'script') return []
  if (scope === 'rest')
    return project.run === 'smoke' ? projectFiles : projectFiles.filter(({ hasLong }) => hasLong)
  if (scope === 'storage')
    return projectFiles.filter(
      ({ path, namesPostgres }) => namesPostgres || (project.onBothDatabases && path.startsWith('server/')),
    )
  return scope === 'smoke' && project.run === 'smoke'
    ? projectFiles.filter(({ hasSmoke }) => hasSmoke)
    : projectFiles
}

export interface TestFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string
  readonly project: string
  /** True if at least one of its tests is tagged `smoke`. */
  readonly hasSmoke: boolean
  /** True if at least one of its tests is tagged `long`. */
  readonly hasLong: boolean
  /** True if its source suggests that it behaves differently on PostgreSQL. */
  readonly namesPostgres: boolean
}

let nameByPath: ReadonlyMap<string, string> | undefined

/**
 * The name of the project to which a file belongs, by its full path. Several projects may run as one vitest
 * project.
 */
export function projectNameOf(fullPath: string): string {
  nameByPath ??= new Map(testFiles().map(({ path, project }) => [join(ROOT, path), project]))
  return nameByPath.get(fullPath) ?? 'unit'
}

/** All test files of the repository, sorted by path. */
export function testFiles(): TestFile[] {
  return listPaths('').map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    return {
      path,
      project: projectOf(path, text).name,
      hasSmoke: /\btags: \[?'smoke'/.test(text),
      hasLong: /\btags: \[?'long'/.test(text),
      namesPostgres: /\bonPostgres\b|(?:runIf|skipIf)\(!?(?:process\.env\.)?DATABASE_URL/.test(text),
    }
  })
}

/** The project to which a test file belongs. */
export function projectOf(path: string, text: string): Project {
  const statements = text.matchAll(/^(?:import|export|\}).* from '(?:[^']*\/)?([^'/]+?)(?:\.ts)?'/gm)
  const imported = new Set([...statements].map(([, name]) => name))
  const isClaimed = ({ folder, imports = [] }: Project) =>
    (folder !== undefined && path.startsWith(folder)) || imports.some((name) => imported.has(name))
  return PROJECTS.find(isClaimed)!
}

const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'generated'])

function listPaths(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder + entry.name
      if (entry.isDirectory())
        return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : listPaths(`${path}/`)
      return /\.test\.tsx?$/.test(entry.name) ? [path] : []
    })
}
