import { existsSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/ports.testing.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { runAdmin } from '../../../src/edge/commands/admin.ts'
import { openService } from '../../../src/edge/service/service.ts'
import { Client, findCredentialId, newCustomer } from '../../worlds/client.testing.ts'
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

const readFileMode = (path: string) => statSync(path).mode & 0o777
const SECRET = 'aVerySecretWord'
const MASTER_KEY = '5e'.repeat(32)
const OTHER_MASTER_KEY = '7a'.repeat(32)

/** Checks a failed start: code 1 and one line that names the fault. */
function expectRefusal({ code, stdout, stderr }: Ending, expectedText: RegExp | string): void {
  expect(stderr).toMatch(/^countersign: [^\n]+\n$/)
  expect(stderr).toMatch(expectedText)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
}

/** Most of these tests share this place, which the first start creates. */
let place: Awaited<ReturnType<typeof openPlace>>
let server: ServerProcess | undefined
let wasStarted = false
beforeAll(async () => {
  place = await openPlace('none')
})
afterAll(() => place.remove())

/** Starts the shared server unless it is running. */
async function startSharedServer(): Promise<ServerProcess> {
  server ??= await ServerProcess.ready(place)
  wasStarted = true
  return server
}

/** Stops the shared server and returns its place. */
async function stopSharedServer(): Promise<typeof place> {
  if (!wasStarted) await startSharedServer()
  const ending = await server?.kill('SIGTERM')
  server = undefined
  if (ending) expect(ending).toMatchObject({ code: 0, stderr: '' })
  return place
}

describe('a server', () => {
  test('creates credentials and a key that only their owner can read, and the next start keeps them', async () => {
    const first = await startSharedServer()
    const credentials = readCredentials(place)
    expect(credentials).toEqual({
      baseUrl: first.baseUrl,
      tokenId: expect.stringMatching(/^Token:/),
      clientSecret: expect.any(String),
    })
    const paths = ['credentials.json', 'master.key'].map((name) => join(place.dataDir, name))
    expect(paths.map(readFileMode)).toEqual([0o600, 0o600])
    expect(first.stdout).not.toContain(credentials.clientSecret)
    const created = await first.client().post('/tokens', { name: 'Second', permissions: ['VIEW'] })
    expect(created.status).toBe(201)
    await stopSharedServer()

    const second = await startSharedServer()
    const { tokenId, clientSecret } = readCredentials(place)
    expect({ tokenId, clientSecret }).toEqual({
      tokenId: credentials.tokenId,
      clientSecret: credentials.clientSecret,
    })
    expect(paths.map(readFileMode)).toEqual([0o600, 0o600])
    expect((await second.client().get(`/tokens/${created.body.id}`)).status).toBe(200)
    expect(second.stdout).toContain(paths[0])
  })

  test('reports at /healthz that it is alive, and at /readyz that its database can be reached', {
    tags: 'smoke',
  }, async () => {
    const { origin } = await startSharedServer()
    const responses = await Promise.all(['/healthz', '/readyz'].map((path) => fetch(origin + path)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(await responses[1]!.json()).toEqual({ status: 'ready' })
  })

  test('prints each request on one line, and warns about an unknown setting', async () => {
    const sharedServer = await startSharedServer()
    await sharedServer.client().send('GET', '/customers/Customer:none')
    await sharedServer.says('USER_NOT_FOUND')
    expect(sharedServer.stdout).toMatch(
      /^404 GET {4}\/customers\/Customer:none +USER_NOT_FOUND +[\d.]+ ms {2}[0-9a-f-]{36}$/m,
    )
    const otherPlace = await newPlace('unused')
    const env = { COUNTERSIGN_MODE: 'production', COUNTERSIGN_MASTERKEY: MASTER_KEY }
    const { stderr } = await run(otherPlace, [], env)
    expect(stderr.split('\n')[0]).toBe(
      'countersign: COUNTERSIGN_MASTERKEY is not a setting; did you mean COUNTERSIGN_MASTER_KEY?',
    )
  })

  test.skipIf(onPostgres)('refuses a second server on its data directory, and keeps running', async () => {
    const first = await startSharedServer()
    expectRefusal(await run(place, []), new RegExp(`\\b${first.pid}\\b.*${place.dataDir}`))
    expect((await first.client().get('/tokens')).status).toBe(200)
  })

  test.skipIf(onPostgres)(
    'that has the embedded database open is named by a command that needs exclusive access',
    async () => {
      const { pid } = await startSharedServer()
      const ending = await run(place, ['master-key', 'rotate'], {
        COUNTERSIGN_NEW_MASTER_KEY: OTHER_MASTER_KEY,
      })
      expectRefusal(ending, new RegExp(`\\b${pid}\\b`))
    },
  )

  test.runIf(onPostgres)('shares its PostgreSQL database with another server', async () => {
    const first = await startSharedServer()
    const second = await ServerProcess.ready(place)
    const created = await first.client().post('/tokens', { name: 'Shared', permissions: ['VIEW'] })
    expect((await second.client().get(`/tokens/${created.body.id}`)).status).toBe(200)
    await second.kill('SIGTERM')
  })

  test.runIf(onPostgres)('lets commands run at the same time on PostgreSQL', async () => {
    const { baseUrl } = await startSharedServer()
    const platform = parseCredentials(await run(place, ['platform', 'create', '--name', 'Acme']))
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
])('an invalid %s in %j is named in a message of one line, without its secret', (name, env) => {
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
  ])('for an invalid %s in %j', async (name, env) => {
    const { dataDir } = await newPlace('unused')
    const openInvalidService = async () => openService(readConfig({ COUNTERSIGN_DATA_DIR: dataDir, ...env }))
    const { message } = await openInvalidService().then(
      () => expect.fail('It started'),
      (error: Error) => error,
    )
    expect(message).toMatch(new RegExp(`^.*${name}.*$`))
    expect(message).not.toContain(SECRET)
  })

  test('for a PORT of "abc"', async () => {
    expectRefusal(await run(await newPlace('unused'), [], { PORT: 'abc' }), 'PORT')
  })

  test.each(['192.0.2.1', 'no such host'])('for a HOST of %j', async (HOST) => {
    expectRefusal(await run(await stopSharedServer(), [], { HOST }), 'HOST')
  })

  test('for a port that is in use', async () => {
    const holder = createServer()
    const port = await listen(holder)
    const ending = await run(await stopSharedServer(), [], { PORT: String(port) })
    holder.close()
    expectRefusal(ending, new RegExp(`PORT ${port} is already in use`))
  })

  test('for a database with another master key', async () => {
    const { dataDir } = await stopSharedServer()
    const key = await readFile(join(dataDir, 'master.key'), 'utf8')
    const ending = await run(place, [], { COUNTERSIGN_MASTER_KEY: OTHER_MASTER_KEY })
    expectRefusal(ending, 'COUNTERSIGN_MASTER_KEY')
    expect(ending.stderr).not.toContain(key.trim())
    expect(ending.stderr).not.toContain(OTHER_MASTER_KEY)
  })

  test('for a master.key file without a key, and does not show its content', async () => {
    const { dataDir } = await stopSharedServer()
    const path = join(dataDir, 'master.key')
    const key = await readFile(path)
    await writeFile(path, SECRET)
    const ending = await run(place, [])
    await writeFile(path, key)
    expectRefusal(ending, path)
    expect(ending.stderr).not.toContain(SECRET)
  })

  test('for a sandbox database in production', async () => {
    const { dataDir } = await stopSharedServer()
    const key = await readFile(join(dataDir, 'master.key'), 'utf8')
    const env = { COUNTERSIGN_MASTER_KEY: key.trim(), COUNTERSIGN_MODE: 'production' }
    expectRefusal(await run(place, [], env), 'COUNTERSIGN_MODE')
  })
})

describe('platform create and token create print one JSON object whose credentials work', () => {
  const createCredentials = async (
    place: Place,
    env: Record<string, string>,
    extraArgs: readonly string[],
  ) => {
    const platform = parseCredentials(
      await run(place, ['platform', 'create', '--name', 'Acme', ...extraArgs], env),
    )
    const args = ['--platform', platform.platformId, '--name', 'Viewer', '--permissions', 'VIEW']
    const viewer = parseCredentials(await run(place, ['token', 'create', ...args], env))
    expect(viewer.platformId).toBe(platform.platformId)
    return { platform, viewer }
  }
  const expectWorking = async (
    baseUrl: string,
    { platform, viewer }: Awaited<ReturnType<typeof createCredentials>>,
  ) => {
    const fullClient = new Client(platform, baseUrl)
    const tokens = (await fullClient.get('/tokens')).body.data
    expect(tokens.map(({ id }: { id: string }) => id).sort()).toEqual(
      [platform.tokenId, viewer.tokenId].sort(),
    )
    const viewerClient = new Client(viewer, baseUrl)
    expect((await viewerClient.get('/customers')).status).toBe(200)
    expect((await viewerClient.post('/customers', { customerType: 'INDIVIDUAL' })).status).toBe(403)
    return fullClient
  }

  test('in sandbox, after which a server creates no other credentials and prints the next step', async () => {
    const place = await newPlace()
    const credentials = await createCredentials(place, {}, [])
    const server = await ServerProcess.ready(place)
    await expectWorking(server.baseUrl, credentials)
    expect(server.stdout).toContain('(sandbox)')
    expect(server.stdout).toContain('platform create')
    expect(existsSync(join(place.dataDir, 'credentials.json'))).toBe(false)
  })

  test('in production, where the server has no sandbox endpoints, refuses codes that it cannot send, and warns without PUBLIC_URL', async () => {
    const place = await newPlace()
    const env = {
      COUNTERSIGN_MODE: 'production',
      COUNTERSIGN_MASTER_KEY: MASTER_KEY,
      COUNTERSIGN_DRAIN_SECONDS: '0',
    }
    const credentials = await createCredentials(place, env, ['--regulated'])
    const production = await ServerProcess.ready(place, env)
    const client = await expectWorking(production.baseUrl, credentials)
    expect(production.stdout).toContain('(production)')
    const files = ['credentials.json', 'master.key'].filter((name) => existsSync(join(place.dataDir, name)))
    expect(files).toEqual([])

    const { wallet, usd } = await newCustomer(client)
    const credential = await findCredentialId(client, wallet)
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
    const warnings = listPlainLines(await production.kill('SIGTERM'))
    expect(warnings).toEqual([expect.stringMatching(/^countersign: PUBLIC_URL is not set/)])
    const withAddress = await ServerProcess.ready(place, { ...env, PUBLIC_URL: 'https://pay.example' })
    expect(listPlainLines(await withAddress.kill('SIGTERM'))).toEqual([])
  })
})

describe('the command line', () => {
  test.each([
    [['platform', 'destroy', '--name', 'Acme'], 'usage'],
    [['platform', 'create'], 'usage'],
    [['token', 'create', '--name', 'Acme'], 'usage'],
    [['platform', 'create', '--nane', 'Acme'], 'nane'],
    [['token', 'create', '--platform', 'Platform:none', '--name', 'x', '--permissions', 'ALL'], 'ALL'],
    [['master-key', 'rotate'], 'COUNTERSIGN_NEW_MASTER_KEY'],
  ])('refuses %j', async (args, expectedText) => {
    await expect(runAdmin(readConfig({}), args)).rejects.toThrow(expectedText)
  })

  test('prints one line if a command fails', async () => {
    const args = ['token', 'create', '--platform', 'Platform:none', '--name', 'x']
    expectRefusal(await run(await stopSharedServer(), args), 'Platform:none')
  })
})

/** Lines of standard error that are not part of the log. */
function listPlainLines({ stderr }: Ending): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
}

function parseCredentials({ code, stdout, stderr }: Ending) {
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
