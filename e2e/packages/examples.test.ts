import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEnvironment, getToolPath, makeProject, run } from './installed.testing.ts'

const PAYEE = { accountNumber: '000123456789', routingNumber: '021000021' }
const TSC = getToolPath('typescript/bin/tsc')

type Project = Awaited<ReturnType<typeof makeProject>>

/** Opens a project with the files of `examples/<name>` and the packages in its package.json. */
function openExample(name: string): Promise<Project> {
  const from = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
  return makeProject({ withTools: true, from })
}

/** Starts a server. Resolves to its process and to the address in the first line that matches. */
async function start(path: string, args: readonly string[], env: NodeJS.ProcessEnv, ready: RegExp) {
  const server = spawn(process.execPath, args, { cwd: path, env })
  const origin = await new Promise<string>((resolve, reject) => {
    let output = ''
    const read = (text: string) => {
      output += text
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      if (url && ready.test(output)) resolve(url)
    }
    server.stdout.setEncoding('utf8').on('data', read)
    server.stderr.setEncoding('utf8').on('data', read)
    server.once('close', () => reject(new Error(`The example ended: ${output}`)))
  })
  return { server, origin }
}

async function stop(server: ChildProcess | undefined): Promise<void> {
  if (!server || server.exitCode !== null) return
  const ended = once(server, 'close')
  server.kill()
  await ended
}

function makeClient({ BASE = '', TOKEN_ID = '', CLIENT_SECRET = '' }: NodeJS.ProcessEnv): Countersign {
  return new Countersign({ baseUrl: BASE, tokenId: TOKEN_ID, clientSecret: CLIENT_SECRET })
}

describe('the payout platform', () => {
  let project: Project
  let server: ChildProcess | undefined
  let origin: string
  let countersign: Countersign

  beforeAll(async () => {
    project = await openExample('payouts')
    await run(project.path, process.execPath, [TSC])
    const env = { ...(await createEnvironment()), PORT: '0' }
    countersign = makeClient(env)
    ;({ server, origin } = await start(project.path, ['dist/server.js'], env, /Listening/))
  })
  afterAll(async () => {
    await stop(server)
    await project.remove()
  })

  const send = async (method: string, path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const init = body ? { method, headers, body: JSON.stringify(body) } : { method }
    const response = await fetch(origin + path, init)
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }

  test('pays a payout once, however often it is requested, and learns its outcome from a webhook', async () => {
    const { data } = await countersign.platformInternalAccounts.list({ currency: 'USD' })
    await countersign.sandbox.fund(data[0]!.id, { amount: 10_000n })
    const payee = await send('POST', '/payees', {
      fullName: 'Ada Lovelace',
      email: 'ada@example.com',
      ...PAYEE,
    })
    expect(payee.status).toBe(201)
    const order = { accountId: payee.body.accountId, cents: 2500 }
    const [first, second] = [
      await send('PUT', '/payouts/june', order),
      await send('PUT', '/payouts/june', order),
    ]
    expect(first.status).toBe(200)
    expect(second.body.transactionId).toBe(first.body.transactionId)
    await expect
      .poll(async () => (await send('GET', '/payouts/june')).body.status, { timeout: 60_000 })
      .toBe('COMPLETED')
    const payments = await countersign.transactions.list({ customerId: payee.body.payeeId })
    const all = [...payments.data, ...(await countersign.transactions.list()).data]
    expect(new Set(all.map(({ id }) => id))).toContain(first.body.transactionId)
    const tooMuch = await send('PUT', '/payouts/july', { ...order, cents: 1_000_000 })
    expect(tooMuch.status).toBe(402)
  })

  test('rejects an unsigned webhook', async () => {
    const forged = await send('POST', '/webhooks', { type: 'OUTGOING_PAYMENT.COMPLETED' })
    expect(forged.status).toBe(401)
  })
})

describe('the agent', () => {
  let project: Project

  beforeAll(async () => {
    project = await openExample('agent')
  })
  afterAll(() => project.remove())

  test('pays immediately, waits for an approval, and is denied by its policy', async () => {
    await run(project.path, process.execPath, [TSC])
    const platform = await createEnvironment()
    const backend = (command: string) =>
      run(project.path, process.execPath, ['dist/backend.js', command], platform)
    const env = { ...platform, ...JSON.parse(await backend('create')) }
    const agent = (cents: number) =>
      run(project.path, process.execPath, ['dist/agent.js', String(cents)], env)
    expect(await agent(2500)).toBe('COMPLETED\n')
    expect(await agent(12_000)).toMatch(/^FORBIDDEN|^VELOCITY_LIMIT_EXCEEDED/)
    const waiting = agent(7500)
    await expect.poll(() => backend('decide'), { timeout: 60_000 }).toMatch(/^approved AgentAction:/)
    expect(await waiting).toBe('waits for approval\nCOMPLETED\n')
  })
})

describe('the card programme', () => {
  let project: Project

  beforeAll(async () => {
    project = await openExample('cards')
  })
  afterAll(() => project.remove())

  test('issues a card that pays, and declines every purchase after the holder freezes it', async () => {
    await run(project.path, process.execPath, [TSC])
    const lines = (await run(project.path, process.execPath, ['dist/cards.js'])).trimEnd().split('\n')
    expect(lines).toEqual([
      'card ACTIVE',
      'lunch SETTLED',
      'car CARD_INSUFFICIENT_FUNDS',
      'card FROZEN',
      'coffee CARD_PAUSED',
      'CAFE LUNA SETTLED',
    ])
  })
})

describe('the wallet in a Next.js app', () => {
  let project: Project
  let server: ChildProcess | undefined
  let origin: string
  let platform: NodeJS.ProcessEnv

  beforeAll(async () => {
    project = await openExample('wallet-next')
    platform = { ...(await createEnvironment()), APP_ORIGIN: 'http://127.0.0.1:3000' }
    // Turbopack reads nothing above its root.
    const settings = JSON.stringify({ turbopack: { root: join(project.path, '..') } })
    await writeFile(join(project.path, 'next.config.mjs'), `export default ${settings}`)
    const next = getToolPath('next/dist/bin/next')
    await run(project.path, process.execPath, [next, 'build'], platform)
    const args = [next, 'start', '--port', '0', '--hostname', '127.0.0.1']
    ;({ server, origin } = await start(project.path, args, platform, /Ready/))
  })
  afterAll(async () => {
    await stop(server)
    await project.remove()
  })

  test('gives a page the token of the user who is signed in, and shows that user the kit', async () => {
    const stranger = await fetch(`${origin}/api/token`, { method: 'POST' })
    expect(stranger.status).toBe(401)
    expect(await (await fetch(origin)).text()).toContain('action="/api/sign-up"')
    const form = new FormData()
    form.set('fullName', 'Ada Lovelace')
    form.set('email', 'ada@example.com')
    const signedUp = await fetch(`${origin}/api/sign-up`, { method: 'POST', body: form, redirect: 'manual' })
    expect(signedUp.status).toBe(303)
    const headers = { Cookie: signedUp.headers.getSetCookie().join('; ').split(';')[0]! }
    const page = await (await fetch(origin, { headers })).text()
    expect(page).toContain('cs-section')
    const response = await fetch(`${origin}/api/token`, { method: 'POST', headers })
    const { accessToken }: { accessToken: string } = await response.json()
    const { BASE: baseUrl = '' } = platform
    const holder = new Countersign({ baseUrl, accessToken })
    const [account] = (await holder.internalAccounts.list({ type: 'EMBEDDED_WALLET' })).data
    expect(page).toContain(account?.id)
    expect((await makeClient(platform).config.get()).allowedOrigins).toEqual(['http://127.0.0.1:3000'])
  })
})
