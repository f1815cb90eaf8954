import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECTS, projectOf, ROOT, type Scope, selectFiles, testFiles } from './projects.ts'

const FOLDERS = [
  'bench',
  'cli',
  'connectors',
  'console',
  'contract',
  'contracts',
  'e2e',
  'sdk',
  'server',
  'sim',
  'test',
]
const sourcePaths = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
).filter((path) => !/(?:^|\/)(?:node_modules|dist|generated)\//.test(path))
const files = testFiles()
const listPaths = (scope: Scope) =>
  PROJECTS.flatMap((project) => selectFiles(project, scope, files)).map(({ path }) => path)

test('every test file is in exactly one project', () => {
  const tests = sourcePaths.filter((path) => /\.test\.tsx?$/.test(path))
  expect(listPaths(undefined).sort()).toEqual(tests.sort())
})

test('npm test and the remaining tests cover every file that has no separate script', () => {
  const covered = new Set([...listPaths('smoke'), ...listPaths('rest')])
  expect([...covered].sort()).toEqual(listPaths('all').sort())
})

test.each(PROJECTS)(
  'the project $name has files and names only existing helpers',
  ({ name, imports = [] }) => {
    expect(files.filter(({ project }) => project === name)).not.toEqual([])
    const helpers = imports.filter((module) => module.endsWith('.testing'))
    const missing = helpers.filter((module) => !sourcePaths.some((path) => path.endsWith(`/${module}.ts`)))
    expect(missing).toEqual([])
  },
)

test.each(PROJECTS.filter(({ run }) => run === 'smoke'))(
  'npm test runs at least one test of the project $name',
  ({ name }) => {
    expect(files.filter(({ project, hasSmoke }) => project === name && hasSmoke)).not.toEqual([])
  },
)

test('only tests of projects that always run have the tag `long`', () => {
  const always = new Set(PROJECTS.filter(({ run }) => run === 'always').map(({ name }) => name))
  expect(files.filter(({ project, hasLong }) => hasLong && !always.has(project))).toEqual([])
})

test('a test that starts a process does not belong to the project of the shared server', () => {
  const text =
    "import { spawn } from 'node:child_process'\nimport { newPlatform } from '../client.testing.ts'\n"
  expect(projectOf('server/test/people/tokens/made-up.test.ts', text).name).toBe('processes')
  expect(projectOf('server/test/people/tokens/made-up.test.ts', text.split('\n')[1]!).name).toBe('http')
  expect(projectOf('sdk/src/made-up.test.ts', '').name).toBe('unit')
})

test('CONTRIBUTING.md describes each project', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const named = [
    ...text.matchAll(
      /^\| `([a-z]+)` \| .* \| (?:all but long ones|one test|some|none: `npm run [a-z:]+`) \|$/gm,
    ),
  ]
  expect(named.map(([, name]) => name).sort()).toEqual(PROJECTS.map(({ name }) => name).sort())
})
