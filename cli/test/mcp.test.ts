import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeFundedCustomer, makePlatform } from '../../sdk/test/platform.testing.ts'
import { CLIENTS, type ClientKind, connectStdio } from './mcp.testing.ts'
import { PROGRAM } from './shop.testing.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-mcp-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Creates a platform, a customer with 1,000.00 USD, and an agent that needs approval above 20.00 USD. */
async function makeShop() {
  const countersign = new Countersign(await makePlatform())
  const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 1n })
  const { customerId, usdId: accountId } = customer
  await countersign.call('sandbox_account_fund', { params: { accountId }, body: { amount: 100_000n } })
  const { agent, deviceCode } = await countersign.agents.create({
    name: 'Shopper',
    customerId,
    policy: {
      permissions: ['VIEW_TRANSACTIONS', 'CREATE_TRANSFERS', 'CREATE_QUOTES', 'EXECUTE_QUOTES'],
      defaultExecutionMode: 'AUTO',
      spendingLimits: { currency: 'USD', perTransactionLimit: 10_000n, dailyLimit: 8_000n },
      approvalThresholds: { amount: 2_000n },
    },
  })
  return { countersign, customer, agentId: agent.id, code: deviceCode.code }
}

const connect = (kind: ClientKind, args: readonly string[], env: Record<string, string> = {}) =>
  connectStdio(kind, { args, env, cwd: folder })

describe.skipIf(!existsSync(PROGRAM))('countersign mcp', () => {
  test.each(CLIENTS)(
    'gives an AI agent what its policy permits, and nothing beyond: client %s',
    async (kind) => {
      const { countersign, customer, agentId, code } = await makeShop()
      const tokenFile = join(folder, kind, 'agent.json')
      const args = ['--code', code, '--token-file', tokenFile]
      const { listTools, call, noise, close } = await connect(kind, args)
      const transfer = {
        source: { accountId: customer.usdId },
        destination: { accountId: customer.bankId },
      }

      const tools = await listTools()
      expect(tools.map(({ name }) => name.replace(/^countersign_/, ''))).toEqual([
        ...['whoami', 'list_accounts', 'list_external_accounts', 'exchange_rates'],
        ...['create_quote', 'get_quote', 'execute_quote', 'transfer_out', 'transfer_in'],
        ...[
          'list_transactions',
          'get_transaction',
          'list_actions',
          'get_action',
          'wait_for_decision',
          'simulate',
        ],
      ])
      const out = tools.find(({ name }) => name === 'countersign_transfer_out')!
      expect(out.annotations).toMatchObject({
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
      })
      for (const words of [
        'smallest unit',
        'at most 100.00 USD',
        'of 80.00 USD used',
        'actions above 20.00 USD',
      ])
        expect(out.description).toContain(words)
      for (const { annotations, name } of tools)
        expect(annotations?.readOnlyHint, name).toBe(!/_(create|execute|transfer)_/.test(name))
      expect((await stat(tokenFile)).mode & 0o777).toBe(0o600)

      const me = await call('countersign_whoami')
      expect(me).toMatchObject({
        isError: false,
        body: {
          id: agentId,
          policy: {
            spendingLimits: { perTransactionLimitInWords: '100.00 USD', dailyLimitInWords: '80.00 USD' },
            approvalThresholds: { amountInWords: '20.00 USD' },
          },
          usage: { dailySpend: 0, dailySpendInWords: '0.00 USD' },
        },
      })
      const accounts = await call('countersign_list_accounts', { currency: 'USD' })
      expect(accounts.body.data).toMatchObject([
        { id: customer.usdId, balance: { amount: 100_000, amountInWords: '1000.00 USD' } },
      ])
      expect((await call('countersign_list_external_accounts')).body.data).toMatchObject([
        { id: customer.bankId },
      ])
      expect(
        (await call('countersign_exchange_rates', { sourceCurrency: 'USD', destinationCurrency: ['EUR'] }))
          .isError,
      ).toBe(false)

      const action = { type: 'TRANSFER_OUT', amount: 2_001, currency: 'USD', sourceAccountId: customer.usdId }
      expect(
        (await call('countersign_simulate', { ...action, destinationAccountId: customer.bankId })).body
          .decision,
      ).toMatchObject({
        outcome: 'APPROVAL_REQUIRED',
        because: ['approvalThreshold'],
      })

      const within = await call('countersign_transfer_out', {
        ...transfer,
        amount: 2_000,
        idempotencyKey: 'once',
      })
      expect(within).toMatchObject({ isError: false, body: { status: 'APPROVED' } })
      // If null differed from an omitted field, the key would be refused as used for a different request.
      const repeated = await call('countersign_transfer_out', {
        source: transfer.source,
        destination: { ...transfer.destination, paymentRail: null },
        amount: 2_000,
        remittanceInformation: null,
        idempotencyKey: 'once',
      })
      expect(repeated.body.id).toBe(within.body.id)

      const waiting = await call('countersign_transfer_out', { ...transfer, amount: 3_000 })
      const actionId = waiting.body.id as string
      expect(waiting.body.status).toBe('PENDING_APPROVAL')
      expect(waiting.body.transferDetails).toMatchObject({ amount: 3_000, amountInWords: '30.00 USD' })
      expect(waiting.sentences).toEqual([waiting.body.statusInWords])
      for (const words of [
        'Nothing has been paid yet: 30.00 USD waits until a person approves it.',
        actionId,
      ])
        expect(waiting.body.statusInWords).toContain(words)
      expect(within.sentences).toEqual([])
      const early = await call('countersign_wait_for_decision', { actionId, timeoutSeconds: 0 })
      expect(early).toMatchObject({ isError: false, body: { status: 'PENDING_APPROVAL' } })
      const decision = call('countersign_wait_for_decision', { actionId })
      await countersign.agents.approve(agentId, actionId)
      expect(await decision).toMatchObject({ isError: false, body: { id: actionId, status: 'APPROVED' } })

      const quote = await call('countersign_create_quote', {
        source: { sourceType: 'ACCOUNT', accountId: customer.usdId },
        destination: { destinationType: 'ACCOUNT', accountId: customer.bankId },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1_000,
        purposeOfPayment: null,
        senderCustomerInfo: [{ name: 'FULL_NAME', value: 'Ada Lovelace' }],
        idempotencyKey: null,
      })
      const quoteId = quote.body.id as string
      expect((await call('countersign_get_quote', { quoteId })).body).toEqual(quote.body)
      expect((await call('countersign_execute_quote', { quoteId })).body).toMatchObject({
        status: 'APPROVED',
        quote: { id: quoteId },
      })

      // 60.00 of 80.00 USD are used.
      const denied = await call('countersign_transfer_out', { ...transfer, amount: 2_001 })
      expect(denied).toMatchObject({
        isError: true,
        body: {
          status: 403,
          code: 'VELOCITY_LIMIT_EXCEEDED',
          message: expect.any(String),
          details: { rule: 'dailyLimit', asked: 2_001, left: 2_000, leftInWords: '20.00 USD' },
        },
      })
      const callInvalid = (input: Record<string, unknown>) =>
        call('countersign_transfer_out', { ...transfer, ...input })
      const wrong = { isError: true, body: { status: 400, code: 'INVALID_INPUT' } }
      expect(await callInvalid({})).toMatchObject({ ...wrong, body: { details: { field: 'amount' } } })
      expect(await callInvalid({ amount: 5, ammount: 5 })).toMatchObject({
        body: { details: { field: 'ammount' } },
      })
      expect(await callInvalid({ amount: 2 ** 53 })).toMatchObject({ body: { details: { field: 'amount' } } })
      expect(await callInvalid({ amount: null })).toMatchObject({
        ...wrong,
        body: { details: { field: 'amount' } },
      })
      expect(await callInvalid({ amount: '5' })).toMatchObject(wrong)
      expect(await callInvalid({ amount: -5 })).toMatchObject({ isError: true, body: { status: 400 } })
      expect(await call('countersign_get_quote', { quoteId: '..' })).toMatchObject({
        body: { details: { field: 'quoteId' } },
      })
      await expect(call('fly')).rejects.toThrow('Tool "fly" not found.')
      expect(await call('countersign_get_quote', { quoteId: 'Quote:1' })).toMatchObject({
        isError: true,
        body: { status: 404, code: 'QUOTE_NOT_FOUND' },
      })
      const actions = (await call('countersign_list_actions')).body.data as { id: string }[]
      expect(actions).toHaveLength(3)
      expect((await call('countersign_get_action', { actionId })).body.id).toBe(actionId)
      const transactions = (await call('countersign_list_transactions', { limit: 1 })).body.data as {
        id: string
      }[]
      const [{ id: transactionId }] = transactions as [{ id: string }]
      expect((await call('countersign_get_transaction', { transactionId })).body.id).toBe(transactionId)
      await close()

      // A restart with the same, already redeemed code uses the stored token.
      const second = await connect(kind, args)
      expect((await second.call('countersign_whoami')).body.id).toBe(agentId)
      await countersign.agents.delete(agentId)
      expect(await second.call('countersign_whoami')).toMatchObject({
        isError: true,
        body: { status: 401, code: 'UNAUTHORIZED' },
      })
      await second.close()
      expect([...noise, ...second.noise]).toEqual([])
      expect(JSON.parse(await readFile(tokenFile, 'utf8'))).toMatchObject({ baseUrl: inject('baseUrl') })
    },
  )

  test.each(CLIENTS)(
    'says what is not permitted, and lists its tools even to an unknown agent: client %s',
    async (kind) => {
      const { listTools, call, close } = await connect(kind, [], { COUNTERSIGN_AGENT_TOKEN: 'unknown' })
      expect(await listTools()).toHaveLength(15)
      expect(
        await call('countersign_transfer_out', { amount: 1, source: {}, destination: {} }),
      ).toMatchObject({
        isError: true,
        body: {
          status: 401,
          code: 'UNAUTHORIZED',
          message: expect.stringMatching(/\. Ask the user for a new device code of this agent\.$/),
        },
      })
      await close()
    },
  )

  test('writes only the protocol to standard output, and ends when the client disconnects', async () => {
    const { stdout, stderr, exitCode } = await new Promise<{
      stdout: string
      stderr: string
      exitCode: unknown
    }>((resolve) => {
      // Nothing listens there, so the error must go to standard error.
      const args = [PROGRAM, 'mcp', '--base-url', 'http://127.0.0.1:8/2025-10-13']
      const env = { ...process.env, COUNTERSIGN_AGENT_TOKEN: 'unknown' }
      const child = execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
        resolve({ stdout, stderr, exitCode: error?.code ?? 0 }),
      )
      const send = (message: object) =>
        child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      const clientInfo = { name: 'test', version: '1' }
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
      send({ id: 1, method: 'initialize', params })
      send({ method: 'notifications/initialized' })
      send({ id: 2, method: 'tools/list' })
      let written = ''
      child.stdout?.on('data', (text) => {
        written += text
        if (written.includes('"id":2}')) child.stdin?.end()
      })
    })
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(messages.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
      ['2.0', 1],
      ['2.0', 2],
    ])
    expect(stderr).toMatch(/^127\.0\.0\.1:8 cannot be reached: .*\n$/)
    expect(exitCode).toBe(0)
  })

  test.each([
    [['--token-file', 'none.json'], /^none\.json has no agent token\. Pass a device code .*\n$/],
    [['--code', 'AAAA', '--base-url', 'nonsense'], /^The base URL must look like .*\n$/],
  ])('without an agent it ends immediately, with one line: %j', async (args, line) => {
    const result = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [PROGRAM, 'mcp', ...args], { cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      )
    })
    expect(result).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) })
  })
})
