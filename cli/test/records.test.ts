import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePlatform, type TestCredentials } from '../../sdk/test/platform.testing.ts'
import { main } from '../src/program.ts'
import { PROGRAM, type Run, run as runProgram } from './shop.testing.ts'

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

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return runProgram(args, { COUNTERSIGN_DATA_DIR: join(folder, 'none'), XDG_CONFIG_HOME: folder, ...env })
}

/** Logs in as this test's platform, under a profile name. */
function logIn(...args: string[]): Promise<Run> {
  const { baseUrl, tokenId, clientSecret } = credentials
  return run(['login', '--base-url', baseUrl, '--token-id', tokenId, ...args], {
    COUNTERSIGN_CLIENT_SECRET: clientSecret,
  })
}

const file = () => join(folder, 'countersign', 'profiles.json')

describe('profiles on the command line', () => {
  test('login stores only accepted credentials, readable only by their owner, and commands find them', async () => {
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

  test('login finds the API version from the bare server address', async () => {
    const { origin } = new URL(credentials.baseUrl)
    for (const address of [origin, `${origin}/`]) {
      const { exitCode, stdout } = await logIn('--base-url', address, '--profile', 'bare', '--json')
      expect([exitCode, JSON.parse(stdout).baseUrl]).toEqual([0, credentials.baseUrl])
    }
    expect((await run(['customers', 'list', '--profile', 'bare'])).exitCode).toBe(0)
    const elsewhere = await logIn('--base-url', `${origin}/docs`)
    expect(elsewhere.stderr).toContain(
      `No Countersign API found at ${origin}/docs/2025-10-13 or ${origin}/docs.`,
    )
    const later = await logIn('--base-url', `${origin}/2031-01-01`)
    expect([later.exitCode, later.stderr]).toEqual([1, expect.stringContaining(`at ${origin}/2031-01-01.`)])
  })

  test('a named profile takes precedence over the data directory, and a file over both', async () => {
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

  test('logout needs confirmation', async () => {
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

describe('records on the command line', () => {
  const runWithFile = async (...args: string[]) => {
    const path = join(folder, 'own.json')
    await writeFile(path, JSON.stringify(credentials))
    return run([...args, '--credentials', path])
  }

  test('a list is tab-separated in a pipe and JSON with --json, and says when there is more', async () => {
    const page = await runWithFile('customers', 'list', '--limit', '2')
    expect(page.stdout.trimEnd().split('\n')).toHaveLength(2)
    expect(page.stdout).toMatch(/^Customer:\S+\t\S+Z\tINDIVIDUAL\t[A-Z]+\t\t[^\t\n]+\n/)
    expect(page.stderr).toMatch(/^There are more records\. /)
    const first = JSON.parse((await runWithFile('customers', 'list', '--limit', '1', '--json')).stdout)
    expect(first).toMatchObject({ hasMore: true, data: [expect.anything()] })
    const all = JSON.parse((await runWithFile('customers', 'list', '--all', '--json')).stdout)
    expect(all).toMatchObject({ hasMore: false })
    expect(all.data.length).toBeGreaterThanOrEqual(3)
  })

  test('filters match the API call, and an invalid one is reported as JSON with --json', async () => {
    const found = await runWithFile('customers', 'list', '--platform-customer-id', 'grace', '--json')
    expect(JSON.parse(found.stdout).data).toMatchObject([{ fullName: 'Grace Hopper' }])
    const later = await runWithFile('customers', 'list', '--created-after', '2200-01-01')
    expect(later).toEqual({ exitCode: 0, stdout: '', stderr: 'No customers found.\n' })
    const wrong = await runWithFile('transactions', 'list', '--status', 'NONE', '--json')
    expect([wrong.exitCode, wrong.stdout]).toEqual([2, ''])
    expect(JSON.parse(wrong.stderr)).toMatchObject({ code: 'USAGE' })
  })

  test('each noun has a list, and get shows a listed record', async () => {
    for (const noun of ['customers', 'accounts', 'transactions', 'events', 'quotes']) {
      const { exitCode, stdout } = await runWithFile(noun, 'list', '--limit', '1', '--json')
      const { data } = JSON.parse(stdout)
      expect([noun, exitCode]).toEqual([noun, 0])
      if (data.length === 0) continue
      const got = await runWithFile(noun, 'get', data[0].id, '--json')
      expect(JSON.parse(got.stdout)).toMatchObject({ id: data[0].id })
    }
    const strange = await runWithFile('quotes', 'get', 'Quote:x', '--json')
    expect(JSON.parse(strange.stderr)).toMatchObject({ status: 404 })
  })

  test('a noun may be singular or plural', async () => {
    for (const [one, other] of [
      ['customers', 'customer'],
      ['cards', 'card'],
      ['agents', 'agent'],
      ['events', 'event'],
    ] as const) {
      const plural = await runWithFile(one, 'list', '--json')
      expect([one, plural]).toEqual([one, await runWithFile(other, 'list', '--json')])
      expect(plural.exitCode).toBe(0)
    }
  })

  test('every list starts with the newest record', async () => {
    for (const noun of ['customers', 'events']) {
      const { data } = JSON.parse((await runWithFile(noun, 'list', '--all', '--json')).stdout)
      const times = data.map((one: Record<string, string>) => one.createdAt ?? one.timestamp)
      expect(times.length).toBeGreaterThan(1)
      expect(times).toEqual([...times].sort().reverse())
    }
    const { data } = JSON.parse((await runWithFile('events', 'list', '--sort-order', 'asc', '--json')).stdout)
    expect(data[0].timestamp <= data.at(-1).timestamp).toBe(true)
  })

  test('a raw response is indented on a terminal and unchanged in a pipe', async () => {
    const path = join(folder, 'own.json')
    await writeFile(path, JSON.stringify(credentials))
    let shown = ''
    const stdout = { isTTY: true, write: (text: string) => (shown += text) }
    const args = ['api', 'GET', '/customers?limit=1', '--credentials', path]
    expect(await main(args, { stdin: {}, stdout, stderr: stdout, env: {} })).toBe(0)
    const piped = (await run(args)).stdout
    expect(piped.trimEnd()).not.toContain('\n')
    expect(shown).toBe(`${JSON.stringify(JSON.parse(piped), null, 2)}\n`)
  })

  test('help groups every command and shows examples', async () => {
    const { stdout } = await run(['--help'])
    const groups = ['Use a platform:', 'Build an integration:', 'Operate a server:', 'Examples:']
    const places = groups.map((group) => stdout.indexOf(`\n${group}\n`))
    expect(places.every((place) => place > 0)).toBe(true)
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(stdout).not.toContain('\nCommands:')
  })

  test('search finds records by name, and api makes any call', async () => {
    expect((await runWithFile('search', 'hopper')).stdout).toMatch(/^CUSTOMER\tCustomer:\S+\tGrace Hopper/)
    const body = join(folder, 'body.json')
    await writeFile(body, JSON.stringify({ customerType: 'BUSINESS', platformCustomerId: 'raw' }))
    const created = await runWithFile('api', 'post', '/customers', '--data', `@${body}`)
    expect(JSON.parse(created.stdout)).toMatchObject({ platformCustomerId: 'raw' })
    const refused = await runWithFile('api', 'GET', '/customers/Customer:x')
    expect(refused.exitCode).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({ status: 404 })
    expect((await runWithFile('api', 'POST', '/customers', '--data', '{')).stderr).toMatch(/must be JSON/)
  })

  test.skipIf(!existsSync(PROGRAM))(
    'outside a clone a command without credentials suggests login',
    async () => {
      const installed = join(folder, 'installed')
      await cp(join(PROGRAM, '../..'), installed, {
        recursive: true,
        filter: (path) => !path.endsWith('/test'),
      })
      const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, 'empty') }
      const failed = promisify(execFile)(
        process.execPath,
        [join(installed, 'bin/countersign.mjs'), 'customers', 'list'],
        { cwd: folder, env },
      )
      await expect(failed).rejects.toMatchObject({
        code: 1,
        stderr:
          'No credentials found in .countersign/credentials.json. Log in to a server: countersign login\n',
      })
    },
  )

  // Completion writes to its process's console.
  test.skipIf(!existsSync(PROGRAM))('shells complete commands, flags and words', async () => {
    const run = async (args: readonly string[]) => promisify(execFile)(process.execPath, [PROGRAM, ...args])
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await run(['completion', shell])).stdout).toContain('countersign complete --')
    expect((await run(['complete', '--', 'customers', ''])).stdout).toMatch(/^list\t/m)
    expect((await run(['complete', '--', 'quotes', 'list', '--status', ''])).stdout).toMatch(/^PENDING\t/m)
  })
})
