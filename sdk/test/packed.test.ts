import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CONSUMER = join(ROOT, 'e2e/packages/consumer')
/** The strictest settings. They check the declarations of packages too. */
const COMPILER_OPTIONS = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
}

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-packed-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test("the guide's commands pack an SDK whose types compile in a strict program", async () => {
  const guide = await readFile(join(ROOT, 'docs/sdk.md'), 'utf8')
  const [commands] = [...guide.matchAll(/^```console\n(.*?)^```$/gms)]
    .map(([, block = '']) => block)
    .filter((block) => block.includes('npm pack'))
  for (const [, command = ''] of commands!.matchAll(/^\$ (.*)$/gm)) runIn(ROOT, 'sh', ['-c', command])

  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@countersign'), { recursive: true })
  runIn(folder, 'tar', ['-xzf', tarball!])
  await cp(join(folder, 'package'), join(modules, '@countersign/sdk'), { recursive: true })
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(join(modules, name, '..'), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), join(modules, name))
  }
  for (const name of ['types.mts', 'types.cts']) await cp(join(CONSUMER, name), join(folder, name))
  const settings = { compilerOptions: COMPILER_OPTIONS, files: ['types.mts', 'types.cts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  expect(runIn(folder, process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')])).toBe('')
})

test('npm publishes declarations, although the repository runs no other package scripts', async () => {
  await rm(join(ROOT, 'sdk/dist/index.d.ts'), { force: true })
  await rm(join(ROOT, 'sdk/dist/.declarations'), { force: true })
  // Without --force, npm asks the registry for versions.
  const output = runIn(ROOT, 'npm', ['publish', '--dry-run', '--force', '--json', '-w', 'sdk'])
  expect(output).toMatch(/"path": "dist\/index\.d\.ts"/)
})

test('a package that lacks a declaration it names cannot be published', async () => {
  const { requireExports } = await import(pathToFileURL(join(ROOT, 'scripts/package.mjs')).href)
  const exports = { '.': { types: './dist/index.d.ts', default: './index.js' } }
  await writeFile(join(folder, 'index.js'), '')
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'half', exports }))
  expect(() => requireExports(folder)).toThrow('half cannot be packed without ./dist/index.d.ts.')
  await mkdir(join(folder, 'dist'))
  await writeFile(join(folder, 'dist/index.d.ts'), '')
  expect(() => requireExports(folder)).not.toThrow()
})

/** Runs a program and returns its output. Files that npm packs go to `folder`. */
function runIn(cwd: string, program: string, args: readonly string[]): string {
  const { NODE_OPTIONS: _, npm_config_ignore_scripts: __, ...env } = process.env
  return execFileSync(program, [...args], {
    cwd,
    encoding: 'utf8',
    env: { ...env, npm_config_pack_destination: folder },
  })
}
