import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { copyEmptyDatabase } from '../../test/databases.testing.ts'
import { PROGRAM, run as runProgram } from './shop.testing.ts'

let folder: string
let data: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-operator-'))
  data = join(folder, 'data')
  await copyEmptyDatabase(inject('emptyDatabase'), data)
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Selects the embedded database, whatever the other tests use. */
function buildEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...env } = process.env
  return { ...env, COUNTERSIGN_DATA_DIR: data, HOST: '127.0.0.1', PORT: '0', ...more }
}

const run = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  runProgram(args, buildEnvironment(more))

async function startServer(): Promise<() => Promise<unknown>> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { cwd: folder, env: buildEnvironment() })
  const closed = new Promise((resolve) => child.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    let output = ''
    const read = (text: Buffer) => {
      output += text
      if (output.includes('Ctrl-C')) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    closed.then(() => reject(new Error(`The server ended: ${output}`)))
  })
  return () => {
    child.kill('SIGTERM')
    return closed
  }
}

const UPGRADE =
  /^this build +\d+\.\d+\.\d+\nremaining steps +none: the upgrade is finished\nservers on other releases +none\n$/

describe.skipIf(!existsSync(PROGRAM))('the operator', () => {
  test('verifies and signs the books, sees the upgrade, and takes a backup to another folder', async () => {
    const end = await startServer()
    const backup = join(folder, 'backup')
    try {
      const verified = await run(['verify'])
      expect(verified).toMatchObject({ exitCode: 0, stderr: '' })
      expect(verified.stdout).toMatch(/^Checked 0 transfers, .*\nNo differences found in the books\.\n$/)
      expect((await run(['checkpoint'])).stdout).toBe('No transfers have ended since the last checkpoints.\n')
      expect((await run(['upgrade', 'status'])).stdout).toMatch(UPGRADE)
      expect((await run(['cell', 'list'])).stdout).toMatch(/^\* +public +sandbox +1 platform +this build\n$/)
      expect(await run(['cell', 'check'])).toMatchObject({
        exitCode: 0,
        stdout: 'No problems found in cell public.\n',
      })
      expect((await run(['cell', 'map', '--backend', 'one'])).stdout).toMatch(/^[0-9a-f-]{36} one\n$/)
      expect((await run(['upgrade', 'finish'])).stdout).toMatch(/^The upgrade to \S+ is finished\.\n$/)

      const backupRun = await run(['backup', backup])
      expect(backupRun).toMatchObject({ exitCode: 0, stderr: '' })
      expect(backupRun.stdout.split('\n')).toEqual([
        expect.stringMatching(/^\S+backup: \d+ files, \d+ MiB\.$/),
        'It can be opened, and its books are correct: 0 transfers.',
        'The master key is not part of the backup. Store it elsewhere.',
        '',
      ])
      const again = await run(['backup', backup, '--json'])
      expect(again.exitCode).toBe(1)
      expect(JSON.parse(again.stderr).message).toContain('already exists')
      expect(await run(['backup'])).toMatchObject({ exitCode: 1, stdout: '' })

      const archives = join(folder, 'archives')
      expect((await run(['archive', 'list'])).stdout).toBe('There are no archives.\n')
      expect((await run(['archive', 'make', '--before', '2026-01', archives])).stdout).toBe(
        'No data from before 2026-01 to archive.\n',
      )
      expect(await run(['archive', 'check', archives])).toMatchObject({
        exitCode: 0,
        stdout: '0 files are as written.\n',
      })
      const soon = await run(['archive', 'make', '--before', '2999-01', archives])
      expect(soon).toMatchObject({ exitCode: 1, stdout: '' })
      expect(soon.stderr).toContain('or earlier, because 3 whole months are kept')
    } finally {
      await end()
    }
    const other = join(folder, 'other')
    const key = { COUNTERSIGN_MASTER_KEY: await readFile(join(data, 'master.key'), 'utf8') }
    const restored = await run(['restore', backup], { COUNTERSIGN_DATA_DIR: other, ...key })
    expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
    expect(restored.stdout).toMatch(
      /^\S+other was restored to \S+Z, from a backup by release \S+\. Start the server\.\n$/,
    )
    const listed = await run(['platform', 'list', '--json'], { COUNTERSIGN_DATA_DIR: other, ...key })
    expect(JSON.parse(listed.stdout).data).toMatchObject([{ name: 'Sandbox' }])
  })

  test('learns why a database cannot be moved, and the database stays in use', async () => {
    const nowhere = 'postgres://nobody@127.0.0.1:1/nothing'
    const migration = await run(['migrate', '--from', data, '--to', nowhere])
    expect(migration).toMatchObject({ exitCode: 1, stdout: '' })
    expect(migration.stderr.trim().split('\n')).toHaveLength(1)
    expect(existsSync(join(data, 'moved-to-postgres'))).toBe(false)
    expect((await run(['migrate', '--from', data])).stderr).toContain('Set --to or DATABASE_URL')
    expect((await run(['migrate', '--from', folder, '--to', nowhere])).stderr).toContain(
      'has no embedded database.',
    )
  })
})
