import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  ensureServerBuilt,
  newPlace,
  onPostgres,
  run,
  ServerProcess,
} from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

const HOOK = fileURLToPath(new URL('../../storage/engine/fsync-hook.mjs', import.meta.url))

/** Mounts a small file system at `folder`, or answers false where this user may not. */
function mountSmall(folder: string): boolean {
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'countersign-test', folder], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('umount', [folder]))
  return true
}

describe.skipIf(onPostgres)('the embedded database', () => {
  test('that fails ends the server with a line, and the next one has every acknowledged write', async () => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place, {
      NODE_OPTIONS: `--import=${HOOK}`,
      FSYNC_LOG: join(place.dataDir, 'fsync.log'),
      FSYNC_FAIL_AFTER: '100',
    })
    const client = server.client()
    const made: string[] = []
    await expect(async () => {
      for (;;) {
        const { status, body } = await client.post('/customers', {
          customerType: 'INDIVIDUAL',
          fullName: 'Ada',
        })
        if (status === 201) made.push(body.id)
      }
    }).rejects.toThrow('fetch failed')
    const { code, stderr } = await server.ended()
    expect(code).toBe(1)
    expect(stderr).toContain('countersign: the embedded database has stopped')
    const after = (await ServerProcess.ready(place)).client()
    const found = await Promise.all(made.map((id) => after.get(`/customers/${id}`)))
    expect(made.length).toBeGreaterThan(0)
    expect(found.map(({ status }) => status)).toEqual(made.map(() => 200))
  })

  test('on a full disk fails the start with one line', async (context) => {
    const place = await newPlace('unused')
    const folder = join(place.dataDir, 'small')
    if (!mountSmall(folder)) return context.skip('this user may not mount a file system')
    const ending = await run(place, [], { COUNTERSIGN_DATA_DIR: folder })
    expect(ending.code).toBe(1)
    expect(ending.stderr).toContain(
      `countersign: the disk of ${folder} is full: free some space, then start again`,
    )
    rmSync(join(folder, 'db'), { recursive: true, force: true })
    expect(existsSync(join(folder, 'db'))).toBe(false)
    // Not even the lock has room.
    writeFileSync(join(folder, 'filler'), '')
    execFileSync('sh', ['-c', `head -c 2000000 /dev/zero > '${folder}/filler' || true`], { stdio: 'ignore' })
    expect((await run(place, [], { COUNTERSIGN_DATA_DIR: folder })).stderr).toContain(
      'is full: free some space',
    )
  })
})
