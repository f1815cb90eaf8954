import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatProgramCall } from './program-words.ts'

let folder: string
const [, started] = process.argv

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-words-'))
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  await writeFile(join(folder, 'countersign.mjs'), '')
  await symlink(join(folder, 'countersign.mjs'), join(folder, 'node_modules/.bin/countersign'))
})

afterAll(async () => {
  process.argv[1] = started!
  await rm(folder, { recursive: true, force: true })
})

const CASES = [
  {
    where: 'installed for the system',
    path: '/usr/local/bin/countersign',
    near: 'countersign',
    far: 'countersign',
  },
  {
    where: 'fetched by npx',
    path: '/home/ada/.npm/_npx/1f/node_modules/.bin/countersign',
    near: 'npx countersign',
    far: 'npx countersign',
  },
  {
    where: 'a package of a folder',
    path: 'FOLDER/node_modules/.bin/countersign',
    near: 'npx countersign',
    far: 'node FOLDER/countersign.mjs',
  },
  { where: 'its file', path: 'FOLDER/main.js', near: 'node FOLDER/main.js', far: 'node FOLDER/main.js' },
] as const

test.each(CASES)('hints name the command as it was called: $where', ({ path, near, far }) => {
  process.argv[1] = path.replace('FOLDER', folder)
  expect(formatProgramCall()).toBe(near.replace('FOLDER', folder))
  expect(formatProgramCall({ isAbsolute: true })).toBe(far.replace('FOLDER', folder))
})
