import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePlatform, type TestCredentials } from '../../sdk/test/platform.testing.ts'
import { PROGRAM, type Run } from './shop.testing.ts'

let folder: string
let credentials: TestCredentials
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-records-'))
  credentials = await makePlatform()
  const countersign = new Countersign(credentials)
  for (const [id, fullName] of [
    ['ada', 'Ada Lovelace'],
    ['grace', 'Grace Hopper'],
    ['eve', 'Eve Online'],
  ] as const)
    await countersign.customers.create({ customerType: 'INDIVIDUAL', platformCustomerId: id, fullName })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const { COUNTERSIGN_PROFILE: _, ...rest } = process.env
  const all = { ...rest, COUNTERSIGN_DATA_DIR: join(folder, 'none'), XDG_CONFIG_HOME: folder, ...env }
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { cwd: folder, env: all }, (error, stdout, stderr) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
    })
  })
}

/** Logs in as the platform of this file, under a name. */
function logIn(...args: string[]): Promise<Run> {
  const { baseUrl, tokenId, clientSecret } = credentials
  return run(['login', '--base-url', baseUrl, '--token-id', tokenId, ...args], {
    COUNTERSIGN_CLIENT_SECRET: clientSecret,
  })
}

const file = () => join(folder, 'countersign', 'profiles.json')

describe.skipIf(!existsSync(PROGRAM))('profiles on the command line', () => {
  test('login keeps only what the server takes, for its owner alone, and commands find it', async () => {
    const refused = await logIn('--client-secret', 'wrong', '--json')
    expect([refused.exitCode, refused.stdout]).toEqual([1, ''])
    expect(JSON.parse(refused.stderr)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    expect(existsSync(file())).toBe(false)
    expect(await run(['customers', 'list'])).toMatchObject({ exitCode: 1, stdout: '' })

    expect(await logIn()).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect((await run(['customers', 'list', '--limit', '1'])).exitCode).toBe(0)
    await logIn('--profile', 'second')
    const listed = await run(['profiles', '--json'])
    expect(JSON.parse(listed.stdout).data).toMatchObject([
      { profile: 'default', isDefault: true },
      { profile: 'second', tokenId: credentials.tokenId, isDefault: false },
    ])
    expect(listed.stdout).not.toContain(credentials.clientSecret)
  })

  test('a profile that is named goes before the data directory, and a file before both', async () => {
    await logIn('--profile', 'good')
    const wrong = join(folder, 'credentials.json')
    await writeFile(wrong, JSON.stringify({ ...credentials, clientSecret: 'wrong' }))
    const env = { COUNTERSIGN_DATA_DIR: folder }
    const call = ['api', 'GET', '/config']
    expect((await run(call, env)).exitCode).toBe(1)
    expect((await run([...call, '--profile', 'good'], env)).exitCode).toBe(0)
    expect((await run(['--profile', 'good', ...call], env)).exitCode).toBe(0)
    expect((await run(call, { ...env, COUNTERSIGN_PROFILE: 'good' })).exitCode).toBe(0)
    expect((await run([...call, '--profile', 'good', '--credentials', wrong], env)).exitCode).toBe(1)
    expect((await run([...call, '--profile', 'none'], env)).stderr).toMatch(/^There is no profile "none"; /)
  })

  test('logout forgets after a yes alone', async () => {
    await logIn('--profile', 'gone')
    const before = await readFile(file(), 'utf8')
    const unasked = await run(['logout', '--profile', 'gone'])
    expect(unasked).toMatchObject({ exitCode: 1, stdout: '' })
    expect(unasked.stderr).toContain('--yes')
    expect(await readFile(file(), 'utf8')).toBe(before)
    expect((await run(['logout', '--profile', 'gone', '--yes'])).exitCode).toBe(0)
    expect(JSON.parse(await readFile(file(), 'utf8')).profiles).not.toHaveProperty('gone')
  })
})

describe.skipIf(!existsSync(PROGRAM))('records on the command line', () => {
  const withFile = async (...args: string[]) => {
    const path = join(folder, 'own.json')
    await writeFile(path, JSON.stringify(credentials))
    return run([...args, '--credentials', path])
  }

  test('a list is lines with tabs into a pipe, JSON for a program, and says when there is more', async () => {
    const one = await withFile('customers', 'list', '--limit', '2')
    expect(one.stdout.trimEnd().split('\n')).toHaveLength(2)
    expect(one.stdout).toMatch(/^Customer:\S+\t\S+Z\tINDIVIDUAL\t[A-Z]+\t\t[^\t\n]+\n/)
    expect(one.stderr).toMatch(/^There are more: /)
    const first = JSON.parse((await withFile('customers', 'list', '--limit', '1', '--json')).stdout)
    expect(first).toMatchObject({ hasMore: true, data: [expect.anything()] })
    const all = JSON.parse((await withFile('customers', 'list', '--all', '--json')).stdout)
    expect(all).toMatchObject({ hasMore: false })
    expect(all.data.length).toBeGreaterThanOrEqual(3)
  })

  test('filters are those of the call, and a wrong one is said as JSON with --json', async () => {
    const found = await withFile('customers', 'list', '--platform-customer-id', 'grace', '--json')
    expect(JSON.parse(found.stdout).data).toMatchObject([{ fullName: 'Grace Hopper' }])
    const later = await withFile('customers', 'list', '--created-after', '2200-01-01')
    expect(later).toEqual({ exitCode: 0, stdout: '', stderr: 'No customers were found.\n' })
    const wrong = await withFile('transactions', 'list', '--status', 'NONE', '--json')
    expect([wrong.exitCode, wrong.stdout]).toEqual([2, ''])
    expect(JSON.parse(wrong.stderr)).toMatchObject({ code: 'USAGE' })
  })

  test('each noun has a list, and get shows what it lists', async () => {
    for (const noun of ['customers', 'accounts', 'transactions', 'events', 'quotes']) {
      const { exitCode, stdout } = await withFile(noun, 'list', '--limit', '1', '--json')
      const { data } = JSON.parse(stdout)
      expect([noun, exitCode]).toEqual([noun, 0])
      if (data.length === 0) continue
      const got = await withFile(noun, 'get', data[0].id, '--json')
      expect(JSON.parse(got.stdout)).toMatchObject({ id: data[0].id })
    }
    const strange = await withFile('quotes', 'get', 'Quote:x', '--json')
    expect(JSON.parse(strange.stderr)).toMatchObject({ status: 404 })
  })

  test('search finds by a name, and api makes any call', async () => {
    expect((await withFile('search', 'hopper')).stdout).toMatch(/^CUSTOMER\tCustomer:\S+\tGrace Hopper/)
    const body = join(folder, 'body.json')
    await writeFile(body, JSON.stringify({ customerType: 'BUSINESS', platformCustomerId: 'raw' }))
    const made = await withFile('api', 'post', '/customers', '--data', `@${body}`)
    expect(JSON.parse(made.stdout)).toMatchObject({ platformCustomerId: 'raw' })
    const refused = await withFile('api', 'GET', '/customers/Customer:x')
    expect(refused.exitCode).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({ status: 404 })
    expect((await withFile('api', 'POST', '/customers', '--data', '{')).stderr).toMatch(/must be JSON/)
  })

  test('shells complete commands, flags and words', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await run(['completion', shell])).stdout).toContain('countersign complete --')
    expect((await run(['complete', '--', 'customers', ''])).stdout).toMatch(/^list\t/m)
    expect((await run(['complete', '--', 'quotes', 'list', '--status', ''])).stdout).toMatch(/^PENDING\t/m)
  })
})
