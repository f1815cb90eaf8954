import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { CHROMIUM } from './test/chromium.ts'
import { measureSlowdown, slowdownEnv } from './test/machine-speed.ts'
import { PlainReporter } from './test/plain-reporter.ts'
import { ProjectOrder } from './test/project-order.ts'
import {
  PROJECTS,
  type Project,
  type Scope,
  selectFiles,
  selectTags,
  type TestFile,
  testFiles,
} from './test/projects.ts'
import { SDK_ALIAS } from './test/sdk-alias.ts'
import { TestSeconds } from './test/test-seconds.ts'

const { ensureGenerated } = await import(new URL('scripts/generate.mjs', import.meta.url).href)
await ensureGenerated()

const slowdown = measureSlowdown()
Object.assign(process.env, slowdownEnv(slowdown))

/** The full reliability tests run in parallel, and restart servers for minutes. */
const LONG_MS = process.env.RELIABILITY === 'full' ? 1_200_000 : 300_000

const scope = process.env.TEST_SCOPE as Scope
const files = testFiles()

export default defineConfig({
  test: {
    projects: buildGroups().flatMap(buildConfig),
    // More workers than cores, because many tests wait for a server, a disk or a process.
    maxWorkers: Math.max(2, availableParallelism()) + (scope === 'smoke' ? 2 : 1),
    sequence: { sequencer: ProjectOrder },
    // Teardown stops the shared server and scans its log for secrets.
    teardownTimeout: 60_000 * slowdown,
    reporters: ['default', new TestSeconds(), new PlainReporter()],
  },
})

/** Projects that run as one vitest project, so that sources are compiled once and loaded once per worker. */
interface Group extends Pick<Project, 'name' | 'run' | 'needsServer'> {
  readonly projects: readonly Project[]
}

/** Builds the groups of this run. In partial runs and for `vitest list`, each project is its own group. */
function buildGroups(): Group[] {
  const isFullRun =
    scope !== undefined && !process.argv.some((arg) => arg === 'list' || arg.startsWith('--project'))
  const runsInSharedGroup = ({ name, run }: Project) => isFullRun && run !== 'script' && name !== 'unit'
  const shared = PROJECTS.filter(runsInSharedGroup)
  return [
    ...PROJECTS.filter((project) => !runsInSharedGroup(project)).map((project) => ({
      ...project,
      projects: [project],
    })),
    createGroup('programs', 'smoke', shared),
    createGroup('server', 'always', shared),
  ]
}

function createGroup(name: string, run: Project['run'], candidates: readonly Project[]): Group {
  return { name, run, needsServer: true, projects: candidates.filter((project) => project.run === run) }
}

function buildConfig({ name, run, needsServer, projects }: Group): TestProjectInlineConfiguration[] {
  const groupFiles = projects.flatMap((project) => selectFiles(project, scope, files))
  if (groupFiles.length === 0) return []
  const tags = selectTags(run, scope)
  const isUnit = name === 'unit'
  const isBrowser = name === 'browser'
  const test: TestProjectInlineConfiguration['test'] = {
    name,
    include: groupFiles.map(escapeGlob),
    exclude: [],
    tags: [
      { name: 'smoke', description: 'represents its project in `npm test`' },
      { name: 'long', description: 'too long for `npm test`' },
    ],
    ...(tags ? { tagsFilter: [tags] } : {}),
    globalSetup: [
      ...(isBrowser ? [toPath('test/chromium.ts')] : []),
      ...(needsServer ? [toPath('test/global-setup.ts')] : []),
    ],
    setupFiles: [toPath('test/worker-setup.ts')],
    pool: isUnit ? 'threads' : 'forks',
    env: isBrowser ? { CHROMIUM } : {},
    // Reloading the sources can take as long as running a test file. Tests must not modify module state.
    isolate: false,
    // Embedded databases opened by a test live for seconds, too briefly to benefit from optimized code.
    // Garbage collection threads would compete with the other processes for cores.
    execArgv: isUnit ? [] : ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--single-threaded-gc'],
    // Generous limits that only stop hung tests.
    testTimeout: (run === 'always' ? 60_000 : LONG_MS) * slowdown,
    // Hooks may set up several platforms.
    hookTimeout: (run === 'always' ? 120_000 : LONG_MS) * slowdown,
    expect: { poll: { timeout: 30_000 * slowdown } },
  }
  return [{ resolve: { alias: SDK_ALIAS }, test }]
}

function toPath(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}

/** Escapes a path, so that the glob matches only this file. */
function escapeGlob({ path }: TestFile): string {
  return path.replace(/[[\]{}()*?!+@]/g, '\\$&')
}
