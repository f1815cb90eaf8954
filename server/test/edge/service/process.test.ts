import { existsSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/base/settings/config.ts'
import { runAdmin } from '../../../src/edge/commands/admin.ts'
import { openService } from '../../../src/edge/service/service.ts'
import { Client, credentialOf, newCustomer } from '../../worlds/client.testing.ts'
import {
  type Ending,
  ensureServerBuilt,
  newPlace,
  onPostgres,
  openPlace,
  type Place,
  readCredentials,
  run,
  ServerProcess,
} from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

const mode = (path: string) => statSync(path).mode & 0o777
const SECRET = 'aVerySecretWord'
const MASTER_KEY = '5e'.repeat(32)
const OTHER_MASTER_KEY = '7a'.repeat(32)

/** Checks a failed start: code 1 and one line that names the fault. */
function expectRefusal({ code, stdout, stderr }: Ending, naming: RegExp | string): void {
  expect(stderr).toMatch(/^countersign: [^\n]+\n$/)
  expect(stderr).toMatch(naming)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
}

/** The place that most of these tests share, made by the first start. */
let place: Awaited<ReturnType<typeof openPlace>>
let server: ServerProcess | undefined
let wasStarted = false
beforeAll(async () => {
  place = await openPlace('none')
})
afterAll(() => place.remove())

/** The server of that place. */
async function running(): Promise<ServerProcess> {
  server ??= await ServerProcess.ready(place)
  wasStarted = true
  return server
}

/** That place as a server has left it. */
async function stopped(): Promise<typeof place> {
  if (!wasStarted) await running()
  const ending = await server?.kill('SIGTERM')
  server = undefined
  if (ending) expect(ending).toMatchObject({ code: 0, stderr: '' })
  return place
}

describe('a server', () => {
  test('creates credentials and a key that only their owner can read, and the next start keeps them', async () => {
    const first = await running()
    const credentials = readCredentials(place)
    expect(credentials).toEqual({
      baseUrl: first.baseUrl,
      tokenId: expect.stringMatching(/^Token:/),
      clientSecret: expect.any(String),
    })
    const paths = ['credentials.json', 'master.key'].map((name) => join(place.dataDir, name))
    expect(paths.map(mode)).toEqual([0o600, 0o600])
    expect(first.stdout).not.toContain(credentials.clientSecret)
    const created = await first.client().post('/tokens', { name: 'Second', permissions: ['VIEW'] })
    expect(created.status).toBe(201)
    await stopped()

    const second = await running()
    const { tokenId, clientSecret } = readCredentials(place)
    expect({ tokenId, clientSecret }).toEqual({
      tokenId: credentials.tokenId,
      clientSecret: credentials.clientSecret,
    })
    expect(paths.map(mode)).toEqual([0o600, 0o600])
    expect((await second.client().get(`/tokens/${created.body.id}`)).status).toBe(200)
    expect(second.stdout).toContain(paths[0])
  })

  test('reports by /healthz and /readyz that it is alive and that its database can be reached', {
    tags: 'smoke',
  }, async () => {
    const { origin } = await running()
    const answers = await Promise.all(['/healthz', '/readyz'].map((path) => fetch(origin + path)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await answers[1]!.json()).toEqual({ status: 'ready' })
  })

  test('shows each request as one line, and warns of an unknown setting', async () => {
    const shown = await running()
    await shown.client().send('GET', '/customers/Customer:none')
    await shown.says('USER_NOT_FOUND')
    expect(shown.stdout).toMatch(
      /^404 GET {4}\/customers\/Customer:none +USER_NOT_FOUND +[\d.]+ ms {2}[0-9a-f-]{36}$/m,
    )
    const elsewhere = await newPlace('unused')
    const env = { COUNTERSIGN_MODE: 'production', COUNTERSIGN_MASTERKEY: MASTER_KEY }
    const { stderr } = await run(elsewhere, [], env)
    expect(stderr.split('\n')[0]).toBe(
      'countersign: COUNTERSIGN_MASTERKEY is not a setting; did you mean COUNTERSIGN_MASTER_KEY?',
    )
  })

  test.skipIf(onPostgres)('refuses a second one on its data directory, and keeps running', async () => {
    const first = await running()
    expectRefusal(await run(place, []), new RegExp(`\\b${first.pid}\\b.*${place.dataDir}`))
    expect((await first.client().get('/tokens')).status).toBe(200)
  })

  test.skipIf(onPostgres)(
    'with the embedded database open is named by a command that needs exclusive access',
    async () => {
      const { pid } = await running()
      const ending = await run(place, ['master-key', 'rotate'], {
        COUNTERSIGN_NEW_MASTER_KEY: OTHER_MASTER_KEY,
      })
      expectRefusal(ending, new RegExp(`\\b${pid}\\b`))
    },
  )

  test.runIf(onPostgres)('shares its PostgreSQL database with another one', async () => {
    const first = await running()
    const second = await ServerProcess.ready(place)
    const created = await first.client().post('/tokens', { name: 'Shared', permissions: ['VIEW'] })
    expect((await second.client().get(`/tokens/${created.body.id}`)).status).toBe(200)
    await second.kill('SIGTERM')
  })

  test.runIf(onPostgres)('on PostgreSQL lets commands run at the same time', async () => {
    const { baseUrl } = await running()
    const platform = credentialsOf(await run(place, ['platform', 'create', '--name', 'Acme']))
    expect((await new Client(platform, baseUrl).get('/config')).status).toBe(200)
  })
})

test.each([
  ['PORT', { PORT: '65536' }],
  ['PORT', { PORT: '-1' }],
  ['COUNTERSIGN_MODE', { COUNTERSIGN_MODE: 'prod' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ['COUNTERSIGN_MASTER_KEY', { COUNTERSIGN_MODE: 'production' }],
  ['COUNTERSIGN_NEW_MASTER_KEY', { COUNTERSIGN_NEW_MASTER_KEY: SECRET }],
  ['DATABASE_URL', { DATABASE_URL: `mysql://root:${SECRET}@127.0.0.1/x` }],
])('%s of %j is a bad setting: its message names it on one line, without its secret', (name, env) => {
  expect(() => readConfig(env)).toThrow(new RegExp(`^.*${name}.*$`))
  expect(() => readConfig(env)).not.toThrow(SECRET)
})

describe('a failing start prints one line', () => {
  test.each([
    ['COUNTERSIGN_MASTER_KEY', { COUNTERSIGN_MASTER_KEY: SECRET }],
    ['DATABASE_URL', { DATABASE_URL: `postgres://root:${SECRET}@127.0.0.1:notaport/x` }],
    ['DATABASE_URL', { DATABASE_URL: `postgres://root:${SECRET}@127.0.0.1:1/x` }],
    ['COUNTERSIGN_DATA_DIR', { COUNTERSIGN_DATA_DIR: '/dev/null' }],
    ['COUNTERSIGN_DATA_DIR', { COUNTERSIGN_DATA_DIR: '/dev/null/below' }],
  ])('%s of %j', async (name, env) => {
    const { dataDir } = await newPlace('unused')
    const start = async () => openService(readConfig({ COUNTERSIGN_DATA_DIR: dataDir, ...env }))
    const { message } = await start().then(
      () => expect.fail('It started'),
      (error: Error) => error,
    )
    expect(message).toMatch(new RegExp(`^.*${name}.*$`))
    expect(message).not.toContain(SECRET)
  })

  test('PORT of "abc", by the program', async () => {
    expectRefusal(await run(await newPlace('unused'), [], { PORT: 'abc' }), 'PORT')
  })

  test.each(['192.0.2.1', 'no such host'])('HOST of %j', async (HOST) => {
    expectRefusal(await run(await stopped(), [], { HOST }), 'HOST')
  })

  test('a port that is in use', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as { port: number }
    const ending = await run(await stopped(), [], { PORT: String(port) })
    holder.close()
    expectRefusal(ending, new RegExp(`PORT ${port} is already in use`))
  })

  test('a database of another master key', async () => {
    const { dataDir } = await stopped()
    const key = await readFile(join(dataDir, 'master.key'), 'utf8')
    const ending = await run(place, [], { COUNTERSIGN_MASTER_KEY: OTHER_MASTER_KEY })
    expectRefusal(ending, 'COUNTERSIGN_MASTER_KEY')
    expect(ending.stderr).not.toContain(key.trim())
    expect(ending.stderr).not.toContain(OTHER_MASTER_KEY)
  })

  test('a master.key file without a key, whose content is not shown', async () => {
    const { dataDir } = await stopped()
    const path = join(dataDir, 'master.key')
    const key = await readFile(path)
    await writeFile(path, SECRET)
    const ending = await run(place, [])
    await writeFile(path, key)
    expectRefusal(ending, path)
    expect(ending.stderr).not.toContain(SECRET)
  })

  test('a database of the sandbox in production', async () => {
    const { dataDir } = await stopped()
    const key = await readFile(join(dataDir, 'master.key'), 'utf8')
    const env = { COUNTERSIGN_MASTER_KEY: key.trim(), COUNTERSIGN_MODE: 'production' }
    expectRefusal(await run(place, [], env), 'COUNTERSIGN_MODE')
  })
})

describe('platform create and token create print one JSON object whose credentials work', () => {
  const create = async (place: Place, env: Record<string, string>, more: readonly string[]) => {
    const platform = credentialsOf(await run(place, ['platform', 'create', '--name', 'Acme', ...more], env))
    const args = ['--platform', platform.platformId, '--name', 'Viewer', '--permissions', 'VIEW']
    const viewer = credentialsOf(await run(place, ['token', 'create', ...args], env))
    expect(viewer.platformId).toBe(platform.platformId)
    return { platform, viewer }
  }
  const expectWorking = async (baseUrl: string, { platform, viewer }: Awaited<ReturnType<typeof create>>) => {
    const full = new Client(platform, baseUrl)
    const tokens = (await full.get('/tokens')).body.data
    expect(tokens.map(({ id }: { id: string }) => id).sort()).toEqual(
      [platform.tokenId, viewer.tokenId].sort(),
    )
    const narrow = new Client(viewer, baseUrl)
    expect((await narrow.get('/customers')).status).toBe(200)
    expect((await narrow.post('/customers', { customerType: 'INDIVIDUAL' })).status).toBe(403)
    return full
  }

  test('in sandbox; a server that starts there then creates no others, and prints the next step', async () => {
    const place = await newPlace()
    const made = await create(place, {}, [])
    const server = await ServerProcess.ready(place)
    await expectWorking(server.baseUrl, made)
    expect(server.stdout).toContain('(sandbox)')
    expect(server.stdout).toContain('platform create')
    expect(existsSync(join(place.dataDir, 'credentials.json'))).toBe(false)
  })

  test('in production, without sandbox endpoints; the server refuses to issue a code that it cannot send, and warns without PUBLIC_URL', async () => {
    const place = await newPlace()
    const env = {
      COUNTERSIGN_MODE: 'production',
      COUNTERSIGN_MASTER_KEY: MASTER_KEY,
      COUNTERSIGN_DRAIN_SECONDS: '0',
    }
    const made = await create(place, env, ['--regulated'])
    const production = await ServerProcess.ready(place, env)
    const client = await expectWorking(production.baseUrl, made)
    expect(production.stdout).toContain('(production)')
    const files = ['credentials.json', 'master.key'].filter((name) => existsSync(join(place.dataDir, name)))
    expect(files).toEqual([])

    const { wallet, usd } = await newCustomer(client)
    const credential = await credentialOf(client, wallet)
    for (const [method, path, body] of [
      ['GET', '/sandbox/clock', undefined],
      ['POST', '/sandbox/clock/advance', { seconds: 1 }],
      ['POST', `/sandbox/internal-accounts/${usd}/fund`, { amount: 1 }],
    ] as const) {
      const reply = await client.send(method, path, body)
      expect([path, reply.status, reply.body.code]).toEqual([path, 404, 'NOT_FOUND'])
    }
    const challenge = await client.post(`/auth/credentials/${credential}/challenge`)
    expect([challenge.status, challenge.body.code]).toEqual([501, 'NOT_IMPLEMENTED'])
    const document = await (await fetch(`${production.baseUrl}/openapi.json`)).text()
    expect(document).not.toContain('/sandbox/')
    const warned = linesOfPeople(await production.kill('SIGTERM'))
    expect(warned).toEqual([expect.stringMatching(/^countersign: PUBLIC_URL is not set/)])
    const withAddress = await ServerProcess.ready(place, { ...env, PUBLIC_URL: 'https://pay.example' })
    expect(linesOfPeople(await withAddress.kill('SIGTERM'))).toEqual([])
  })
})

describe('the commands', () => {
  test.each([
    [['platform', 'destroy', '--name', 'Acme'], 'usage'],
    [['platform', 'create'], 'usage'],
    [['token', 'create', '--name', 'Acme'], 'usage'],
    [['platform', 'create', '--nane', 'Acme'], 'nane'],
    [['token', 'create', '--platform', 'Platform:none', '--name', 'x', '--permissions', 'ALL'], 'ALL'],
    [['master-key', 'rotate'], 'COUNTERSIGN_NEW_MASTER_KEY'],
  ])('%j is refused', async (args, naming) => {
    await expect(runAdmin(readConfig({}), args)).rejects.toThrow(naming)
  })

  test('that fail print one line', async () => {
    const args = ['token', 'create', '--platform', 'Platform:none', '--name', 'x']
    expectRefusal(await run(await stopped(), args), 'Platform:none')
  })
})

/** Lines of standard error that are not part of the log. */
function linesOfPeople({ stderr }: Ending): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
}

function credentialsOf({ code, stdout, stderr }: Ending) {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^[^\n]+\n$/)
  const credentials = JSON.parse(stdout)
  expect(credentials).toMatchObject({
    platformId: expect.stringMatching(/^Platform:/),
    tokenId: expect.stringMatching(/^Token:/),
    clientSecret: expect.any(String),
    baseUrl: expect.stringMatching(/^http:/),
  })
  return credentials as { platformId: string; tokenId: string; clientSecret: string }
}
