import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { Countersign } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeFundedCustomer, makePlatform } from '../../sdk/test/platform.testing.ts'
import { PROGRAM } from './shop.testing.ts'

const STARTS_MS = 30_000

/** `countersign mcp --http` on a free port, and what ends it. */
async function start(...args: string[]) {
  const all = [PROGRAM, 'mcp', '--http', '--port', '0', '--base-url', inject('baseUrl'), ...args]
  const child = spawn(process.execPath, all, { env: { PATH: process.env.PATH } })
  let output = ''
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    const look = (text: Buffer) => {
      output += text
      const [, found] = /^Listening on (http:\S+\/mcp)\. /m.exec(output) ?? []
      if (found) resolve(found)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    closed.then((code) => reject(new Error(`It ended with ${code}: ${output}`)))
    setTimeout(() => reject(new Error(`It does not listen: ${output}`)), STARTS_MS).unref()
  })
  const end = () => {
    child.kill('SIGTERM')
    return closed
  }
  return { url, end, output: () => output }
}

async function makeAgent() {
  const countersign = new Countersign(await makePlatform())
  const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 1n })
  const params = { accountId: customer.usdId }
  await countersign.call('sandbox_account_fund', { params, body: { amount: 100_000n } })
  const { agent, deviceCode } = await countersign.agents.create({
    name: 'Shopper',
    customerId: customer.customerId,
    policy: {
      permissions: ['VIEW_TRANSACTIONS', 'CREATE_TRANSFERS', 'CREATE_QUOTES', 'EXECUTE_QUOTES'],
      defaultExecutionMode: 'AUTO',
      spendingLimits: { currency: 'USD', perTransactionLimit: 10_000n },
      approvalThresholds: { amount: 2_000n },
    },
  })
  const { accessToken } = await Agent.redeem({ baseUrl: inject('baseUrl'), code: deviceCode.code })
  return { countersign, customer, agentId: agent.id, accessToken }
}

async function connect(url: string, accessToken: string, mode: 'legacy' | 'auto' = 'auto') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const headers = { Authorization: `Bearer ${accessToken}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  // The client checks each answer against the schema that the list gave.
  const { tools } = await client.listTools()
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { isError = false, structuredContent } = await client.callTool({ name, arguments: input })
    return { isError, body: structuredContent as Record<string, unknown> }
  }
  return { client, call, tools }
}

/** A raw request, whose headers may be anything. */
function raw(url: string, headers: Record<string, string>, method = 'POST', body = '{}') {
  return new Promise<{ status: number | undefined; text: string; headers: object }>((resolve, reject) => {
    const sent = request(url, { method, headers: { 'Content-Type': 'application/json', ...headers } })
    sent.once('error', reject).once('response', (answer) => {
      let text = ''
      answer.on('data', (part) => {
        text += part
      })
      answer.once('end', () => resolve({ status: answer.statusCode, text, headers: answer.headers }))
    })
    sent.end(method === 'POST' ? body : undefined)
  })
}

describe.skipIf(!existsSync(PROGRAM))('countersign mcp --http', () => {
  let server: Awaited<ReturnType<typeof start>>

  beforeAll(async () => {
    server = await start()
  }, 60_000)

  afterAll(async () => {
    expect(await server.end()).toBe(0)
    // What is refused is told to the client alone.
    expect(server.output()).toMatch(/^Listening on [^\n]*\n$/)
  })

  test.each(['auto', 'legacy'] as const)(
    'each client acts as the agent whose token it sends: %s',
    { timeout: 60_000 },
    async (mode) => {
      const [one, other] = await Promise.all([makeAgent(), makeAgent()])
      const [first, second] = await Promise.all([
        connect(server.url, one.accessToken, mode),
        connect(server.url, other.accessToken, mode),
      ])
      expect((await first.call('whoami')).body.id).toBe(one.agentId)
      expect((await second.call('whoami')).body.id).toBe(other.agentId)
      expect(first.tools.find(({ name }) => name === 'transfer_out')?.description).toContain(
        'at most 100.00 USD',
      )

      const action = await first.call('transfer_out', {
        source: { accountId: one.customer.usdId },
        destination: { accountId: one.customer.bankId },
        amount: 3_000,
      })
      const actionId = action.body.id as string
      expect(action.body.statusInWords).toContain('30.00 USD waits until a person approves it')
      expect(await second.call('get_action', { actionId })).toMatchObject({
        isError: true,
        body: { status: 404 },
      })
      const decision = first.call('wait_for_decision', { actionId })
      await one.countersign.agents.approve(one.agentId, actionId)
      expect((await decision).body).toMatchObject({ id: actionId, status: 'APPROVED' })

      await one.countersign.agents.delete(one.agentId)
      expect(await first.call('whoami')).toMatchObject({ isError: true, body: { code: 'UNAUTHORIZED' } })
      expect((await second.call('whoami')).isError).toBe(false)
      await Promise.all([first.client.close(), second.client.close()])
    },
  )

  test("every tool's answer fits the schema that it is listed with", { timeout: 60_000 }, async () => {
    const { customer, accessToken } = await makeAgent()
    const { call, tools, client } = await connect(server.url, accessToken)
    const called = new Set<string>()
    const good = async (name: string, input: Record<string, unknown> = {}) => {
      const { isError, body } = await call(name, input)
      expect(isError, `${name} ${JSON.stringify(body)}`).toBe(false)
      called.add(name)
      return body
    }
    const accounts = { source: { accountId: customer.usdId }, destination: { accountId: customer.bankId } }
    const back = { source: accounts.destination, destination: accounts.source }
    await good('whoami')
    await good('list_accounts')
    await good('list_external_accounts')
    await good('exchange_rates', { sourceCurrency: 'USD', destinationCurrency: ['EUR', 'MXN'] })
    const quote = await good('create_quote', {
      source: { sourceType: 'ACCOUNT', ...accounts.source },
      destination: { destinationType: 'ACCOUNT', ...accounts.destination },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1_000,
    })
    expect(quote.totalSendingAmountInWords).toBe('10.00 USD')
    await good('get_quote', { quoteId: quote.id })
    await good('execute_quote', { quoteId: quote.id })
    await good('transfer_out', { ...accounts, amount: 500 })
    await good('transfer_in', { ...back, amount: 500 })
    const pending = await good('transfer_out', { ...accounts, amount: 2_500 })
    await good('list_actions')
    await good('get_action', { actionId: pending.id })
    await good('wait_for_decision', { actionId: pending.id, timeoutSeconds: 0 })
    const { data } = (await good('list_transactions')) as { data: { id: string }[] }
    for (const { id: transactionId } of data) await good('get_transaction', { transactionId })
    const asked = { type: 'TRANSFER_OUT', currency: 'USD', sourceAccountId: customer.usdId }
    await good('simulate', { ...asked, amount: 100, destinationAccountId: customer.bankId })
    await good('simulate', { ...asked, amount: 1_000_000, destinationAccountId: customer.bankId })
    expect([...called].sort()).toEqual(tools.map(({ name }) => name).sort())
    await client.close()
  })

  test('pages of other sites and strangers get nothing', async () => {
    const { url } = server
    const authorization = { Authorization: 'Bearer something' }
    const port = new URL(url).port
    expect((await raw(url, {})).status).toBe(401)
    expect((await raw(url, {})).headers).toMatchObject({ 'www-authenticate': 'Bearer realm="countersign"' })
    expect((await raw(url, { Authorization: 'Basic abc' })).status).toBe(401)
    for (const Host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', 'localhost@evil'])
      expect((await raw(url, { ...authorization, Host })).status, Host).toBe(403)
    for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'file://'])
      expect((await raw(url, { ...authorization, Origin })).status, Origin).toBe(403)
    expect((await raw(url, { ...authorization, Origin: 'http://localhost:3000' })).status).not.toBe(403)
    expect((await raw(new URL('/other', url).href, authorization)).status).toBe(404)
    for (const method of ['GET', 'DELETE'])
      expect((await raw(url, { ...authorization, Accept: 'text/event-stream' }, method)).status, method).toBe(
        405,
      )
    expect((await raw(url, authorization, 'POST', `"${'x'.repeat(70_000)}"`)).status).toBe(413)
    const stranger = await connect(url, 'unknown')
    expect(await stranger.call('whoami')).toMatchObject({ isError: true, body: { status: 401 } })
    await stranger.client.close()
  })

  test('a client has at most sixteen requests under way, and others are served meanwhile', {
    timeout: 60_000,
  }, async () => {
    const [busy, other] = await Promise.all([makeAgent(), makeAgent()])
    const { call, client } = await connect(server.url, busy.accessToken)
    const action = await call('transfer_out', {
      source: { accountId: busy.customer.usdId },
      destination: { accountId: busy.customer.bankId },
      amount: 3_000,
    })
    const actionId = action.body.id as string
    const waits = Array.from({ length: 20 }, () =>
      call('wait_for_decision', { actionId, timeoutSeconds: 50 }),
    )
    const refused = waits.map((wait) =>
      wait.then(
        () => undefined,
        (error: Error) => error.message,
      ),
    )
    const next = await connect(server.url, other.accessToken)
    expect((await next.call('whoami')).body.id).toBe(other.agentId)
    await busy.countersign.agents.approve(busy.agentId, actionId)
    const messages = (await Promise.all(refused)).filter((message) => message !== undefined)
    expect(messages).toHaveLength(4)
    for (const message of messages) expect(message).toContain('Too many requests')
    expect((await call('whoami')).isError).toBe(false)
    await Promise.all([client.close(), next.client.close()])
  })

  test('ends while a client waits', { timeout: 60_000 }, async () => {
    const own = await start('--allowed-hosts', 'mcp.example.com')
    const { customer, accessToken } = await makeAgent()
    expect((await raw(own.url, { Host: 'mcp.example.com', Authorization: 'Bearer x' })).status).not.toBe(403)
    const { call } = await connect(own.url, accessToken)
    const action = await call('transfer_out', {
      source: { accountId: customer.usdId },
      destination: { accountId: customer.bankId },
      amount: 3_000,
    })
    const waiting = call('wait_for_decision', { actionId: action.body.id, timeoutSeconds: 50 }).catch(
      () => 'ended',
    )
    await call('whoami')
    expect(await own.end()).toBe(0)
    expect(await waiting).toBe('ended')
  })

  test.each([
    [['--host', '0.0.0.0'], /^--host 0\.0\.0\.0 listens on every address: name the hosts /],
    [['--code', 'AAA-AAA-AAA'], /^With --http each client brings the token of its own agent: /],
    [['--base-url', 'nonsense'], /^The base address must be like /],
  ])('what cannot be is said in one line: %j', async (args, line) => {
    await expect(start(...args)).rejects.toThrow(new RegExp(`^It ended with 1: ${line.source.slice(1)}`))
  })
})
