import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { PROJECTS, projectNameOf, ROOT, selectTags, testFiles } from './projects.ts'
import type {} from './worker-setup.ts'

const FILE = join(ROOT, 'node_modules/.cache/countersign/test-seconds.json')

/** Times differ on PostgreSQL and with longer reliability tests, so such runs are not recorded. */
const IS_OTHER_RUN = process.env.DATABASE_URL !== undefined || process.env.RELIABILITY === 'full'

/**
 * Records the CPU time of each project that ran completely on the embedded database; for projects that always
 * run, the part run by `npm test` is enough. The time includes the workers, the processes started by their
 * tests, and a share of the main process (the shared server, the compiler, the threads of `unit`). It does
 * not include the start of the run, PostgreSQL databases, and processes that a test left running.
 */
export class TestSeconds implements Reporter {
  readonly #seconds = new Map<string, number>()
  readonly #files = new Map<string, number>()
  readonly #running = new Map<string, string>()
  #counted = process.cpuUsage()

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#countMainProcess()
    this.#running.set(moduleId, projectNameOf(moduleId))
  }

  onTestModuleEnd(module: TestModule): void {
    const project = projectNameOf(module.moduleId)
    this.#countMainProcess()
    this.#running.delete(module.moduleId)
    this.#add(project, module.meta().cpuSeconds ?? 0)
    this.#files.set(project, (this.#files.get(project) ?? 0) + 1)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (IS_OTHER_RUN || modules.some(({ project }) => project.config.testNamePattern !== undefined)) return
    const partial = new Set(
      modules.flatMap(({ project, moduleId }) =>
        project.config.tagsFilter?.[0] === expectedTags(projectNameOf(moduleId))
          ? []
          : [projectNameOf(moduleId)],
      ),
    )
    const all = testFiles()
    const complete = [...this.#seconds].filter(
      ([name]) =>
        !partial.has(name) && this.#files.get(name) === all.filter(({ project }) => project === name).length,
    )
    if (complete.length === 0) return
    const seconds = { ...readSeconds(), ...Object.fromEntries(complete.map(roundEntry)) }
    mkdirSync(dirname(FILE), { recursive: true })
    writeFileSync(FILE, `${JSON.stringify(seconds, null, 2)}\n`)
  }

  #countMainProcess(): void {
    const { user, system } = process.cpuUsage(this.#counted)
    this.#counted = process.cpuUsage()
    const projects = new Set(this.#running.values())
    for (const project of projects) this.#add(project, (user + system) / 1e6 / projects.size)
  }

  #add(project: string, seconds: number): void {
    this.#seconds.set(project, (this.#seconds.get(project) ?? 0) + seconds)
  }
}

/**
 * The tags of a run whose time is recorded: the tests that `npm test` runs for a project that always runs,
 * otherwise all tests.
 */
function expectedTags(project: string): string | undefined {
  const run = PROJECTS.find(({ name }) => name === project)?.run
  return run === 'always' ? selectTags(run, 'smoke') : undefined
}

function roundEntry([name, seconds]: readonly [string, number]): readonly [string, number] {
  return [name, Math.round(seconds * 10) / 10]
}

function readSeconds(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'))
  } catch {
    return {}
  }
}
