import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { copyEmptyDatabase } from '../../test/databases.testing.ts'
import { PROGRAM, run as runProgram } from './shop.testing.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Selects the embedded database, whatever the other tests use: these commands start their own server. */
function buildEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...env } = process.env
  return { ...env, COUNTERSIGN_DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', PORT: '0' }
}

/** Runs the program without any server data. */
const run = (...args: string[]) => runProgram(args, buildEnvironment())

async function writeCredentials(change: Record<string, string> = {}): Promise<string> {
  const response = await fetch(inject('platformMaker'), { method: 'POST' })
  const { tokenId, clientSecret } = (await response.json()) as Record<string, string>
  const path = join(folder, `${Object.keys(change).join('-') || 'good'}.json`)
  await writeFile(path, JSON.stringify({ baseUrl: inject('baseUrl'), tokenId, clientSecret, ...change }))
  return path
}

const isBuilt = existsSync(PROGRAM)

describe('countersign', () => {
  test.skipIf(!isBuilt)('npm links the command by name, also in a clone', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules/.bin/countersign'), ['--version'])
    expect(stdout).toBe(`${version}\n`)
  })

  test('demo shows a payment from sign-in to settlement', async () => {
    const { exitCode, stdout, stderr } = await run('demo', '--credentials', await writeCredentials())
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/status +COMPLETED/)
    expect(stdout).toMatch(/balance +74\.773869 USDB/)
    expect(stdout).toMatch(/response +200 PROCESSING, the stored response/)
    expect(stdout).toMatch(/response +401 UNAUTHORIZED: /)
    expect(stdout).toMatch(/Sign-in to settled payment: \d+\.\d\d s/)
    expect(stdout).toMatch(/ accountInfo\.accountNumber: 000123456789\n/)
    const tooWide = stdout.split('\n').filter((line) => line.length > 100)
    expect(tooWide).toEqual([])
    // The amounts add up to the last unit.
    const amount = (label: string) =>
      BigInt(new RegExp(`${label} +(\\d+\\.\\d{6}) USDB`).exec(stdout)![1]!.replace('.', ''))
    expect(amount('delivered') + amount('fixed fee') + amount('variable fee')).toBe(amount('sum'))
  })

  test('demo without credentials says how to get them', async () => {
    const { exitCode, stdout, stderr } = await run('demo')
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(/^No credentials found in \S+credentials\.json\. .*npm start\n$/)
  })

  test('demo without a server says how to start one', async () => {
    const baseUrl = 'http://127.0.0.1:8/2025-10-13'
    const credentials = await writeCredentials()
    const { exitCode, stdout, stderr } = await run(
      'demo',
      '--credentials',
      credentials,
      '--base-url',
      baseUrl,
    )
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(/^127\.0\.0\.1:8 cannot be reached: .*npm start\n$/)
  })

  test.each([
    [{ clientSecret: 'wrong' }, /rejects Token:\S+ with this secret/],
    [{ baseUrl: 'nonsense' }, /The base URL must look like/],
  ])('demo with bad credentials is one line: %j', async (change, line) => {
    const { exitCode, stderr } = await run('demo', '--credentials', await writeCredentials(change))
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(line)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test.each([
    ['{}', 'lacks baseUrl, tokenId, clientSecret.'],
    ['not JSON', 'lacks baseUrl, tokenId, clientSecret.'],
  ])('a credentials file with %j is refused with the missing members', async (text, line) => {
    const file = join(folder, 'bad.json')
    await writeFile(file, text)
    const { exitCode, stderr } = await run('demo', '--credentials', file)
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `${file} ${line}\n` })
  })

  test.each([
    [[]],
    [['nonsense']],
    [['demo', '--nonsense']],
    [['platform', 'create']],
    [['token', 'create', '--name', 'N']],
  ])('wrong usage ends with 2: %j', async (args) => {
    const { exitCode, stdout, stderr } = await run(...args)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).not.toBe('')
  })

  test('help exits with 0', async () => {
    const { exitCode, stdout } = await run('--help')
    expect(exitCode).toBe(0)
    for (const command of ['serve', 'demo', 'platform', 'token', 'agent', 'mcp'])
      expect(stdout).toContain(command)
  })

  test('token create accepts only known permissions', async () => {
    const args = ['token', 'create', '--platform', 'Platform:1', '--name', 'N', '--permissions', 'VIEW,FLY']
    const { exitCode, stderr } = await run(...args)
    expect(exitCode).toBe(1)
    expect(stderr).toContain(
      '--permissions must contain only VIEW, TRANSACT, MANAGE, APPROVE, REVIEW, not FLY.',
    )
  })

  test.skipIf(!isBuilt)('the operator creates platforms and tokens, and starts the server', async () => {
    await copyEmptyDatabase(inject('emptyDatabase'), join(folder, 'data'))
    const first = await run('platform', 'create', '--name', 'First', '--json')
    expect(first).toMatchObject({ exitCode: 0, stderr: '' })
    const { platformId, tokenId, clientSecret } = JSON.parse(first.stdout) as Record<string, string>
    expect({ platformId, tokenId }).toEqual({
      platformId: expect.stringMatching(/^Platform:/),
      tokenId: expect.stringMatching(/^Token:/),
    })

    const second = await run(
      'token',
      'create',
      '--platform',
      platformId!,
      '--name',
      'N',
      '--permissions',
      'VIEW',
    )
    expect(second.exitCode).toBe(0)
    expect(second.stdout).toMatch(/^Platform +Platform:\S+\nToken id +Token:\S+\nClient secret +\S{43}\n/)

    // With --json, an error from the server executable is JSON too.
    const forPrograms = await run('token', 'list', '--platform', 'Platform:1', '--json')
    expect(forPrograms).toMatchObject({ exitCode: 0, stdout: '{"data":[]}\n' })
    const invited = ['member', 'invite', '--name', 'Ada', '--email', 'ada@example.com']
    const refused = await run(...invited, '--platform', 'Platform:1', '--json')
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(JSON.parse(refused.stderr)).toEqual({ code: 'FAILED', message: 'Platform:1 does not exist.' })

    const unknown = await run(
      'token',
      'create',
      '--platform',
      'Platform:1',
      '--name',
      'N',
      '--permissions',
      'VIEW',
    )
    expect(unknown.exitCode).toBe(1)
    expect(unknown.stderr.trim().split('\n')).toHaveLength(1)

    const { address, end } = await startServer()
    const credentials = Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')
    const response = await fetch(`${address}/config`, { headers: { Authorization: `Basic ${credentials}` } })
    expect(response.status).toBe(200)
    const beside = await run('platform', 'list')
    expect(beside).toMatchObject({ exitCode: 0, stderr: '' })
    expect(beside.stdout).toMatch(/^Platform:\S+ {2}\S+Z .* First\n$/)
    expect(await end()).toBe(0)
  })
})

/** Starts `countersign serve`. Resolves to its address and a function that stops it. */
async function startServer(): Promise<{ address: string; end: () => Promise<number | null> }> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { cwd: folder, env: buildEnvironment() })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const address = await new Promise<string>((resolve, reject) => {
    let output = ''
    const read = (text: Buffer) => {
      output += text.toString('utf8')
      const found = /API +(http:\S+)/.exec(output)?.[1]
      if (found) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    closed.then(() => reject(new Error(`The server ended: ${output}`)))
  })
  const end = () => {
    child.kill('SIGTERM')
    return closed
  }
  return { address, end }
}
