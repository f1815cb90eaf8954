import { existsSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import type { OAuthDiscoveryState, OAuthTokens } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AuthProvider,
  CLIENTS,
  connectHttp,
  finishSignIn,
  makeAgent,
  makeDeviceCode,
  startHttp,
} from './mcp.testing.ts'
import { PROGRAM } from './shop.testing.ts'

/** Connects an assistant on another machine, which knows only the server's address. */
function makeAssistant() {
  interface Found {
    tokens?: OAuthTokens
    client?: { client_id: string }
    discovery?: OAuthDiscoveryState
    verifier: string
    page: string
  }
  const found: Found = { verifier: '', page: '' }
  const provider: AuthProvider = {
    redirectUrl: 'https://assistant.example/callback',
    clientMetadata: { client_name: 'Assistant', redirect_uris: ['https://assistant.example/callback'] },
    state: () => 'its-state',
    clientInformation: () => found.client,
    saveClientInformation: (client) => {
      found.client = client
    },
    tokens: () => found.tokens,
    saveTokens: (tokens) => {
      found.tokens = tokens
    },
    redirectToAuthorization: ({ href }) => {
      found.page = href
    },
    saveCodeVerifier: (verifier) => {
      found.verifier = verifier
    },
    codeVerifier: () => found.verifier,
    saveDiscoveryState: (discovery: OAuthDiscoveryState) => {
      found.discovery = discovery
    },
    discoveryState: () => found.discovery,
  }
  return { provider, page: () => found.page }
}

/** Enters the device code and submits the form, as a person does. Returns the redirect address. */
async function typeDeviceCode(page: string, deviceCode: string): Promise<URL> {
  const html = await (await fetch(page)).text()
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  const form = new URLSearchParams([...hidden].map(([, name = '', value = '']) => [name, value]))
  form.set('device_code', deviceCode)
  const { origin } = new URL(page)
  const sent = { method: 'POST', body: form, redirect: 'manual', headers: { Origin: origin } } as const
  const { status, headers } = await fetch(`${origin}/authorize`, sent)
  expect(status).toBe(303)
  return new URL(headers.get('location') ?? '')
}

/** Sends a raw request with arbitrary headers. */
function sendRaw(url: string, headers: Record<string, string>, method = 'POST', body = '{}') {
  return new Promise<{ status: number | undefined; text: string; headers: IncomingHttpHeaders }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers: { 'Content-Type': 'application/json', ...headers } })
      sent.once('error', reject).once('response', (response) => {
        let text = ''
        response.on('data', (part) => {
          text += part
        })
        response.once('end', () => resolve({ status: response.statusCode, text, headers: response.headers }))
      })
      sent.end(method === 'POST' ? body : undefined)
    },
  )
}

describe.skipIf(!existsSync(PROGRAM))('countersign mcp --http', () => {
  let server: Awaited<ReturnType<typeof startHttp>>

  beforeAll(async () => {
    server = await startHttp()
  })

  afterAll(async () => {
    expect(await server.end()).toBe(0)
    // Errors are reported only to the client.
    expect(server.output()).toMatch(/^Listening on [^\n]*\n$/)
  })

  test.each(CLIENTS)('each client acts as the agent whose token it sends: %s', async (kind) => {
    const [agent, otherAgent] = await Promise.all([makeAgent(), makeAgent()])
    const [first, second] = await Promise.all([
      connectHttp(kind, server.url, agent),
      connectHttp(kind, server.url, otherAgent),
    ])
    expect((await first.call('countersign_whoami')).body.id).toBe(agent.agentId)
    expect((await second.call('countersign_whoami')).body.id).toBe(otherAgent.agentId)
    const tools = await first.listTools()
    expect(tools.find(({ name }) => name === 'countersign_transfer_out')?.description).toContain(
      'at most 100.00 USD',
    )

    const action = await first.call('countersign_transfer_out', {
      source: { accountId: agent.customer.usdId },
      destination: { accountId: agent.customer.bankId },
      amount: 3_000,
    })
    const actionId = action.body.id as string
    expect(action.body.statusInWords).toContain('30.00 USD waits until a person approves it')
    expect(await second.call('countersign_get_action', { actionId })).toMatchObject({
      isError: true,
      body: { status: 404 },
    })
    const decision = first.call('countersign_wait_for_decision', { actionId })
    await agent.countersign.agents.approve(agent.agentId, actionId)
    expect((await decision).body).toMatchObject({ id: actionId, status: 'APPROVED' })

    await agent.countersign.agents.delete(agent.agentId)
    await expect(first.call('countersign_whoami')).rejects.toThrow('The token is unknown, expired or revoked')
    expect((await second.call('countersign_whoami')).isError).toBe(false)
    expect(second.noise).toEqual([])
    await Promise.all([first.close(), second.close()])
  })

  test.each(CLIENTS)(
    'every tool accepts the input that its schema describes, and responds: client %s',
    async (kind) => {
      const { customer, accessToken } = await makeAgent()
      const { call, listTools, close } = await connectHttp(kind, server.url, { accessToken })
      const tools = await listTools()
      const called = new Set<string>()
      const callOk = async (name: string, input: Record<string, unknown> = {}) => {
        const { isError, body } = await call(name, input)
        expect(isError, `${name} ${JSON.stringify(body)}`).toBe(false)
        called.add(name)
        return body
      }
      const accounts = { source: { accountId: customer.usdId }, destination: { accountId: customer.bankId } }
      const back = { source: accounts.destination, destination: accounts.source }
      await callOk('countersign_whoami')
      await callOk('countersign_list_accounts')
      await callOk('countersign_list_external_accounts')
      await callOk('countersign_exchange_rates', {
        sourceCurrency: 'USD',
        destinationCurrency: ['EUR', 'MXN'],
      })
      const quote = await callOk('countersign_create_quote', {
        source: { sourceType: 'ACCOUNT', ...accounts.source },
        destination: { destinationType: 'ACCOUNT', ...accounts.destination },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1_000,
      })
      expect(quote.totalSendingAmountInWords).toBe('10.00 USD')
      await callOk('countersign_get_quote', { quoteId: quote.id })
      await callOk('countersign_execute_quote', { quoteId: quote.id })
      await callOk('countersign_transfer_out', { ...accounts, amount: 500 })
      await callOk('countersign_transfer_in', { ...back, amount: 500 })
      const pending = await callOk('countersign_transfer_out', { ...accounts, amount: 2_500 })
      await callOk('countersign_list_actions')
      await callOk('countersign_get_action', { actionId: pending.id })
      await callOk('countersign_wait_for_decision', { actionId: pending.id, timeoutSeconds: 0 })
      const { data } = (await callOk('countersign_list_transactions')) as { data: { id: string }[] }
      for (const { id: transactionId } of data) await callOk('countersign_get_transaction', { transactionId })
      const action = { type: 'TRANSFER_OUT', currency: 'USD', sourceAccountId: customer.usdId }
      await callOk('countersign_simulate', { ...action, amount: 100, destinationAccountId: customer.bankId })
      await callOk('countersign_simulate', {
        ...action,
        amount: 1_000_000,
        destinationAccountId: customer.bankId,
      })
      expect([...called].sort()).toEqual(tools.map(({ name }) => name).sort())
      await close()
    },
  )

  test('other origins and unauthenticated clients are rejected', async () => {
    const { url } = server
    const authorization = { Authorization: 'Bearer something' }
    const port = new URL(url).port
    expect((await sendRaw(url, {})).status).toBe(401)
    expect((await sendRaw(url, { Authorization: 'Basic abc' })).status).toBe(401)
    for (const Host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', 'localhost@evil'])
      expect((await sendRaw(url, { ...authorization, Host })).status, Host).toBe(403)
    for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'file://'])
      expect((await sendRaw(url, { ...authorization, Origin })).status, Origin).toBe(403)
    expect((await sendRaw(url, { ...authorization, Origin: 'http://localhost:3000' })).status).not.toBe(403)
    expect((await sendRaw(new URL('/other', url).href, authorization)).status).toBe(404)
    const own = { Authorization: `Bearer ${(await makeAgent()).accessToken}` }
    for (const method of ['GET', 'DELETE'])
      expect((await sendRaw(url, { ...own, Accept: 'text/event-stream' }, method)).status, method).toBe(405)
    expect((await sendRaw(url, own, 'POST', `"${'x'.repeat(70_000)}"`)).status).toBe(413)
  })

  test.each(CLIENTS)('a client with an unknown token is refused when it connects: %s', async (kind) => {
    await expect(connectHttp(kind, server.url, { accessToken: 'unknown' })).rejects.toThrow(
      kind === '2.x' ? 'requires authorization (HTTP 401)' : 'The token is unknown, expired or revoked',
    )
  })

  test('a client without a valid token learns at initialize where to get one', async () => {
    const { url } = server
    const { origin } = new URL(url)
    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
    const readChallenges = async (headers: Record<string, string>) => {
      const { status, headers: sent } = await sendRaw(url, headers, 'POST', initialize)
      expect(status).toBe(401)
      return sent['www-authenticate']
    }
    expect(await readChallenges({})).toBe(`Bearer realm="countersign", resource_metadata="${metadata}"`)
    expect(await readChallenges({ Authorization: 'Bearer unknown' })).toBe(
      'Bearer realm="countersign", error="invalid_token", ' +
        `error_description="The token is unknown, expired or revoked.", resource_metadata="${metadata}"`,
    )
    for (const path of [metadata, `${origin}/.well-known/oauth-protected-resource`])
      expect(JSON.parse((await sendRaw(path, {}, 'GET')).text)).toEqual({
        resource: url,
        resource_name: 'Countersign',
        authorization_servers: [origin],
        bearer_methods_supported: ['header'],
      })
  })

  test.each(CLIENTS)(
    'an assistant that knows only the address signs in with a device code: %s',
    async (kind) => {
      const { agentId, code } = await makeDeviceCode()
      const { provider, page } = makeAssistant()
      await expect(connectHttp(kind, server.url, { authProvider: provider })).rejects.toThrow()
      expect(new URL(page()).searchParams.get('resource')).toBe(server.url)
      const sentTo = await typeDeviceCode(page(), code)
      expect(sentTo.searchParams.get('state')).toBe('its-state')
      await finishSignIn(kind, server.url, provider, sentTo.searchParams)
      const { call, close } = await connectHttp(kind, server.url, { authProvider: provider })
      expect((await call('countersign_whoami')).body.id).toBe(agentId)
      await close()
    },
  )

  test('a client has at most sixteen requests in progress, and other clients are served meanwhile', async () => {
    const [busy, otherAgent] = await Promise.all([makeAgent(), makeAgent()])
    const { call, close } = await connectHttp('2.x', server.url, busy)
    const action = await call('countersign_transfer_out', {
      source: { accountId: busy.customer.usdId },
      destination: { accountId: busy.customer.bankId },
      amount: 3_000,
    })
    const actionId = action.body.id as string
    const waits = Array.from({ length: 20 }, () =>
      call('countersign_wait_for_decision', { actionId, timeoutSeconds: 50 }),
    )
    const refused = waits.map((wait) =>
      wait.then(
        () => undefined,
        (error: Error) => error.message,
      ),
    )
    const next = await connectHttp('2.x', server.url, otherAgent)
    expect((await next.call('countersign_whoami')).body.id).toBe(otherAgent.agentId)
    await busy.countersign.agents.approve(busy.agentId, actionId)
    const messages = (await Promise.all(refused)).filter((message) => message !== undefined)
    expect(messages).toHaveLength(4)
    for (const message of messages) expect(message).toContain('Too many concurrent requests')
    expect((await call('countersign_whoami')).isError).toBe(false)
    await Promise.all([close(), next.close()])
  })

  test('shuts down while a client waits', async () => {
    const own = await startHttp('--allowed-hosts', 'mcp.example.com')
    const { customer, accessToken } = await makeAgent()
    expect((await sendRaw(own.url, { Host: 'mcp.example.com', Authorization: 'Bearer x' })).status).not.toBe(
      403,
    )
    const { call } = await connectHttp('2.x', own.url, { accessToken })
    const action = await call('countersign_transfer_out', {
      source: { accountId: customer.usdId },
      destination: { accountId: customer.bankId },
      amount: 3_000,
    })
    const waiting = call('countersign_wait_for_decision', {
      actionId: action.body.id,
      timeoutSeconds: 50,
    }).catch(() => 'ended')
    await call('countersign_whoami')
    expect(await own.end()).toBe(0)
    expect(await waiting).toBe('ended')
  })

  test.each([
    [['--host', '0.0.0.0'], /^--host 0\.0\.0\.0 listens on every address: list the host names /],
    [['--code', 'AAA-AAA-AAA'], /^With --http, each client sends the token of its agent: /],
    [['--base-url', 'nonsense'], /^The base URL must look like /],
    [['--public-url', 'https://example.com/mcp'], /^--public-url must be a URL without a path, /],
  ])('invalid options are reported in one line: %j', async (args, line) => {
    await expect(startHttp(...args)).rejects.toThrow(new RegExp(`^It ended with 1: ${line.source.slice(1)}`))
  })
})
