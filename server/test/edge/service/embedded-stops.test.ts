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

/** Mounts a small file system at `folder`. Returns false if this user may not mount. */
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
  test('that fails stops the server with an error, and the next server has every acknowledged write', async () => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place, {
      NODE_OPTIONS: `--import=${HOOK}`,
      FSYNC_LOG: join(place.dataDir, 'fsync.log'),
      FSYNC_FAIL_AFTER: '100',
    })
    const client = server.client()
    const createdIds: string[] = []
    await expect(async () => {
      for (;;) {
        const { status, body } = await client.post('/customers', {
          customerType: 'INDIVIDUAL',
          fullName: 'Ada',
        })
        if (status === 201) createdIds.push(body.id)
      }
    }).rejects.toThrow('fetch failed')
    const { code, stderr } = await server.ended()
    expect(code).toBe(1)
    expect(stderr).toContain('countersign: the embedded database has stopped')
    const restartedClient = (await ServerProcess.ready(place)).client()
    const replies = await Promise.all(createdIds.map((id) => restartedClient.get(`/customers/${id}`)))
    expect(createdIds.length).toBeGreaterThan(0)
    expect(replies.map(({ status }) => status)).toEqual(createdIds.map(() => 200))
  })

  test('on a full disk stops the start with one line', async (context) => {
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
    // Now not even the lock file fits.
    writeFileSync(join(folder, 'filler'), '')
    execFileSync('sh', ['-c', `head -c 2000000 /dev/zero > '${folder}/filler' || true`], { stdio: 'ignore' })
    expect((await run(place, [], { COUNTERSIGN_DATA_DIR: folder })).stderr).toContain(
      'is full: free some space',
    )
  })
})
