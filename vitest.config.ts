import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { CHROMIUM } from './test/chromium.ts'
import { measureSlowdown, slowdownEnv } from './test/machine-speed.ts'
import { PlainReporter } from './test/plain-reporter.ts'
import { ProjectOrder } from './test/project-order.ts'
import {
  filesOf,
  PROJECTS,
  type Project,
  type Scope,
  type TestFile,
  tagsOf,
  testFiles,
} from './test/projects.ts'
import { SDK_ALIAS } from './test/sdk-alias.ts'
import { TestSeconds } from './test/test-seconds.ts'

const { ensureGenerated } = await import(new URL('scripts/generate.mjs', import.meta.url).href)
await ensureGenerated()

const slowdown = measureSlowdown()
Object.assign(process.env, slowdownEnv(slowdown))

/** In full, reliability tests kill and start servers for minutes, next to each other. */
const LONG_MS = process.env.RELIABILITY === 'full' ? 1_200_000 : 300_000

const scope = process.env.TEST_SCOPE as Scope
const files = testFiles()

export default defineConfig({
  test: {
    projects: groups().flatMap(configOf),
    // More than cores: many tests wait for a server, a disk or a process.
    maxWorkers: Math.max(2, availableParallelism()) + (scope === 'smoke' ? 2 : 1),
    sequence: { sequencer: ProjectOrder },
    // The shared server has to close, and its log is searched for secrets.
    teardownTimeout: 60_000 * slowdown,
    reporters: ['default', new TestSeconds(), new PlainReporter()],
  },
})

/** Projects that vitest runs as one, so that the sources are compiled once, and loaded once by each worker. */
interface Group extends Pick<Project, 'name' | 'run' | 'needsServer'> {
  readonly projects: readonly Project[]
}

/** A run of single projects or files, and a list, has a group for each project. */
function groups(): Group[] {
  const isWhole =
    scope !== undefined && !process.argv.some((arg) => arg === 'list' || arg.startsWith('--project'))
  const isShared = ({ name, run }: Project) => isWhole && run !== 'script' && name !== 'unit'
  const shared = PROJECTS.filter(isShared)
  return [
    ...PROJECTS.filter((project) => !isShared(project)).map((project) => ({
      ...project,
      projects: [project],
    })),
    groupOf('programs', 'smoke', shared),
    groupOf('server', 'always', shared),
  ]
}

function groupOf(name: string, run: Project['run'], among: readonly Project[]): Group {
  return { name, run, needsServer: true, projects: among.filter((project) => project.run === run) }
}

function configOf({ name, run, needsServer, projects }: Group): TestProjectInlineConfiguration[] {
  const own = projects.flatMap((project) => filesOf(project, scope, files))
  if (own.length === 0) return []
  const tags = tagsOf(run, scope)
  const isUnit = name === 'unit'
  const isBrowser = name === 'browser'
  const test: TestProjectInlineConfiguration['test'] = {
    name,
    include: own.map(asPattern),
    exclude: [],
    tags: [
      { name: 'smoke', description: 'stands for its project in `npm test`' },
      { name: 'long', description: 'too long for `npm test`' },
    ],
    ...(tags ? { tagsFilter: [tags] } : {}),
    globalSetup: [
      ...(isBrowser ? [pathOf('test/chromium.ts')] : []),
      ...(needsServer ? [pathOf('test/global-setup.ts')] : []),
    ],
    setupFiles: [pathOf('test/worker-setup.ts')],
    pool: isUnit ? 'threads' : 'forks',
    env: isBrowser ? { CHROMIUM } : {},
    // Loading the sources again for each file would take as long as many of the files. No test may change a
    // module.
    isolate: false,
    // The embedded databases that tests open themselves live for seconds, too short for their code to be optimized.
    // Helper threads of the garbage collector would compete with the other process and the server for cores.
    execArgv: isUnit ? [] : ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--single-threaded-gc'],
    // Limits that only end what hangs.
    testTimeout: (run === 'always' ? 60_000 : LONG_MS) * slowdown,
    // Worlds of several platforms are made there.
    hookTimeout: (run === 'always' ? 120_000 : LONG_MS) * slowdown,
    expect: { poll: { timeout: 30_000 * slowdown } },
  }
  return [{ resolve: { alias: SDK_ALIAS }, test }]
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}

/** A pattern that matches one path. */
function asPattern({ path }: TestFile): string {
  return path.replace(/[[\]{}()*?!+@]/g, '\\$&')
}
