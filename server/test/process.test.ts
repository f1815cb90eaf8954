import { existsSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { runAdmin } from '../src/admin.ts'
import { readConfig } from '../src/config.ts'
import { Client, credentialOf, newCustomer } from './client.testing.ts'
import {
  type Ending,
  ensureServerBuilt,
  newPlace,
  onPostgres,
  PROCESS_TEST_MS,
  readCredentials,
  run,
  ServerProcess,
} from './server-process.testing.ts'

vi.setConfig({ testTimeout: PROCESS_TEST_MS })
beforeAll(ensureServerBuilt)

const mode = (path: string) => statSync(path).mode & 0o777
const SECRET = 'aVerySecretWord'
const MASTER_KEY = '5e'.repeat(32)
const OTHER_MASTER_KEY = '7a'.repeat(32)

/** Refused at the start: code 1 and one line, which names what is wrong. */
function expectRefusal({ code, stdout, stderr }: Ending, naming: RegExp | string): void {
  expect(stderr).toMatch(/^countersign: [^\n]+\n$/)
  expect(stderr).toMatch(naming)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
}

describe('the first start', () => {
  test('makes credentials and a key that their owner alone can read, and the next start keeps them', async () => {
    const place = await newPlace('none')
    const first = await ServerProcess.ready(place)
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
    expect(await first.kill('SIGTERM')).toMatchObject({ code: 0, stderr: '' })

    const second = await ServerProcess.ready(place)
    const { tokenId, clientSecret } = readCredentials(place)
    expect({ tokenId, clientSecret }).toEqual({
      tokenId: credentials.tokenId,
      clientSecret: credentials.clientSecret,
    })
    expect(paths.map(mode)).toEqual([0o600, 0o600])
    expect((await second.client().get(`/tokens/${created.body.id}`)).status).toBe(200)
    expect(second.stdout).toContain(paths[0])
  })

  test('leaves a data directory without credentials alone when its database has platforms, and says how to go on', async () => {
    const place = await newPlace()
    await (await ServerProcess.ready(place)).kill('SIGTERM')
    await rm(join(place.dataDir, 'credentials.json'))
    const server = await ServerProcess.ready(place)
    expect(server.stdout).toContain('platform create')
    expect(existsSync(join(place.dataDir, 'credentials.json'))).toBe(false)
  })

  test('says by /healthz and /readyz that it is alive and that its database can be reached', async () => {
    const { origin } = await ServerProcess.ready(await newPlace())
    const answers = await Promise.all(['/healthz', '/readyz'].map((path) => fetch(origin + path)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await answers[1]!.json()).toEqual({ status: 'ready' })
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

describe('what cannot be started is refused in one line', () => {
  test.each([
    ['PORT', { PORT: 'abc' }],
    ['COUNTERSIGN_MASTER_KEY', { COUNTERSIGN_MASTER_KEY: SECRET }],
    ['DATABASE_URL', { DATABASE_URL: `postgres://root:${SECRET}@127.0.0.1:notaport/x` }],
    ['DATABASE_URL', { DATABASE_URL: `postgres://root:${SECRET}@127.0.0.1:1/x` }],
    ['HOST', { HOST: '192.0.2.1' }],
    ['HOST', { HOST: 'no such host' }],
    ['COUNTERSIGN_DATA_DIR', { COUNTERSIGN_DATA_DIR: '/dev/null' }],
    ['COUNTERSIGN_DATA_DIR', { COUNTERSIGN_DATA_DIR: '/dev/null/below' }],
  ])('%s of %j', async (name, env) => {
    const ending = await run(await newPlace('HOST' in env ? 'ready' : 'unused'), [], env)
    expectRefusal(ending, name)
    expect(ending.stderr).not.toContain(SECRET)
  })

  test('a port that is in use', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as { port: number }
    const ending = await run(await newPlace(), [], { PORT: String(port) })
    holder.close()
    expectRefusal(ending, new RegExp(`PORT ${port} is in use`))
  })

  test('a database that was made with another master key', async () => {
    const place = await newPlace()
    const first = await ServerProcess.ready(place, { COUNTERSIGN_MASTER_KEY: MASTER_KEY })
    await first.kill('SIGTERM')
    expect(existsSync(join(place.dataDir, 'master.key'))).toBe(false)
    const ending = await run(place, [], { COUNTERSIGN_MASTER_KEY: OTHER_MASTER_KEY })
    expectRefusal(ending, 'COUNTERSIGN_MASTER_KEY')
    expect(ending.stderr).not.toContain(MASTER_KEY)
    expect(ending.stderr).not.toContain(OTHER_MASTER_KEY)
    await ServerProcess.ready(place, { COUNTERSIGN_MASTER_KEY: MASTER_KEY })
  })

  test('a master.key file that holds no key, which is not shown', async () => {
    const place = await newPlace()
    await (await ServerProcess.ready(place)).kill('SIGTERM')
    const path = join(place.dataDir, 'master.key')
    await writeFile(path, SECRET)
    const ending = await run(place, [])
    expectRefusal(ending, path)
    expect(ending.stderr).not.toContain(SECRET)
  })

  test.skipIf(onPostgres)('a second server on the same data directory, and the first goes on', async () => {
    const place = await newPlace()
    const first = await ServerProcess.ready(place)
    expectRefusal(await run(place, []), new RegExp(`\\b${first.pid}\\b.*${place.dataDir}`))
    expect((await first.client().get('/tokens')).status).toBe(200)
  })

  test.runIf(onPostgres)('two servers on one PostgreSQL database share it', async () => {
    const place = await newPlace()
    const first = await ServerProcess.ready(place)
    const second = await ServerProcess.ready(place)
    const created = await first.client().post('/tokens', { name: 'Shared', permissions: ['VIEW'] })
    expect((await second.client().get(`/tokens/${created.body.id}`)).status).toBe(200)
  })
})

describe.each([
  ['sandbox', {}],
  ['production', { COUNTERSIGN_MODE: 'production', COUNTERSIGN_MASTER_KEY: MASTER_KEY }],
] as const)('the commands in %s', (modeName, env) => {
  test('platform create and token create print one JSON object whose credentials work', async () => {
    const place = await newPlace()
    const platform = credentialsOf(await run(place, ['platform', 'create', '--name', 'Acme'], env))
    const viewer = credentialsOf(
      await run(
        place,
        ['token', 'create', '--platform', platform.platformId, '--name', 'Viewer', '--permissions', 'VIEW'],
        env,
      ),
    )
    expect(viewer.platformId).toBe(platform.platformId)
    expect(existsSync(join(place.dataDir, 'credentials.json'))).toBe(false)

    const server = await ServerProcess.ready(place, env)
    const full = new Client(platform, server.baseUrl)
    const tokens = (await full.get('/tokens')).body.data
    expect(tokens.map(({ id }: { id: string }) => id).sort()).toEqual(
      [platform.tokenId, viewer.tokenId].sort(),
    )
    const narrow = new Client(viewer, server.baseUrl)
    expect((await narrow.get('/customers')).status).toBe(200)
    expect((await narrow.post('/customers', { customerType: 'INDIVIDUAL' })).status).toBe(403)
    expect(server.stdout).toContain(`(${modeName})`)
  })
})

test('in production nothing of the sandbox is there, and no code is said to be sent that cannot be', async () => {
  const place = await newPlace()
  const env = { COUNTERSIGN_MASTER_KEY: MASTER_KEY, COUNTERSIGN_MODE: 'production' }
  const bank = credentialsOf(await run(place, ['platform', 'create', '--name', 'Bank', '--regulated'], env))
  const production = await ServerProcess.ready(place, env)
  const client = new Client(bank, production.baseUrl)
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
})

test('a database of the sandbox is not opened in production', async () => {
  const place = await newPlace()
  const sandbox = await ServerProcess.ready(place, { COUNTERSIGN_MASTER_KEY: MASTER_KEY })
  await sandbox.kill('SIGTERM')
  const env = { COUNTERSIGN_MASTER_KEY: MASTER_KEY, COUNTERSIGN_MODE: 'production' }
  expectRefusal(await run(place, [], env), 'COUNTERSIGN_MODE')
})

describe('the commands', () => {
  test.each([
    [['platform', 'destroy', '--name', 'Acme'], 'usage'],
    [['token', 'create', '--name', 'Acme'], 'usage'],
    [['platform', 'create', '--nane', 'Acme'], 'nane'],
    [['token', 'create', '--platform', 'Platform:none', '--name', 'x', '--permissions', 'ALL'], 'ALL'],
    [['master-key', 'rotate'], 'COUNTERSIGN_NEW_MASTER_KEY'],
  ])('%j is not carried out', async (args, naming) => {
    await expect(runAdmin(readConfig({}), args)).rejects.toThrow(naming)
  })

  test.each([
    [['platform', 'create'], 'usage'],
    [['token', 'create', '--platform', 'Platform:none', '--name', 'x'], 'Platform:none'],
  ])('%j is refused in one line', async (args, naming) => {
    expectRefusal(
      await run(await newPlace(args.includes('Platform:none') ? 'ready' : 'unused'), args),
      naming,
    )
  })

  test.skipIf(onPostgres)('say which process has the embedded database open', async () => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place)
    const ending = await run(place, ['platform', 'create', '--name', 'Acme'])
    expectRefusal(ending, new RegExp(`\\b${server.pid}\\b`))
  })

  test.runIf(onPostgres)('work beside a running server', async () => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place)
    const platform = credentialsOf(await run(place, ['platform', 'create', '--name', 'Acme']))
    expect((await new Client(platform, server.baseUrl).get('/config')).status).toBe(200)
  })
})

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
