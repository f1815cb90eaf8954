import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@countersign/sdk/agent'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeShop, run as runProgram, start } from './shop.testing.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-agent-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function newShop() {
  const shop = await makeShop(folder, { usdb: 5_000_000n, usd: 100_000n })
  return { ...shop, run: (...args: string[]) => shop.run('agent', ...args) }
}

describe('countersign agent', () => {
  test('creates an agent, shows its pending actions as they arrive, and decides them', {
    tags: 'long',
  }, async () => {
    const { countersign, customer, env, run } = await newShop()
    const limits = ['--currency', 'USD', '--per-transaction', '100.00', '--daily', '250']
    const created = await run(
      ...['create', '--customer', customer.customerId, '--name', 'Shopper', ...limits],
      ...['--allow', 'CREATE_TRANSFERS,VIEW_TRANSACTIONS', '--approve-over', '20.00'],
      ...['--accounts', customer.usdId, '--payees', customer.bankId],
    )
    expect(created).toMatchObject({ exitCode: 0, stderr: '' })
    expect(created.stdout).toMatch(/per action: at most 100\.00 USD/)
    expect(created.stdout).toMatch(/actions above 20\.00 USD .* need approval/)
    const [, agentId] = /^(Agent:\S+) {2}"Shopper", active, not connected$/m.exec(created.stdout)!
    const [, code] = /^Device code {2}(\S+) {2}valid once, until \S+$/m.exec(created.stdout)!
    const agent = await Agent.redeem({ baseUrl: inject('baseUrl'), code: code! })
    expect((await countersign.agents.get(agentId!)).policy.accountRestrictions).toEqual({
      allowedAccountIds: [customer.usdId],
      allowedExternalAccountIds: [customer.bankId],
    })
    const pay = (amount: bigint) =>
      agent.transferOut({
        source: { accountId: customer.usdId },
        destination: { accountId: customer.bankId },
        amount,
      })

    const first = await pay(2_500n)
    const watch = start(['agent', 'watch'], env)
    const prompt = await watch.until(`agent approve ${first.id}`)
    for (const words of [
      '1 waiting. Press Ctrl-C to stop.',
      /^ {2}agent +Shopper, for Ada Lovelace$/m,
      /^ {2}amount +25\.00 USD$/m,
      /^ {2}to +Ada Lovelace, USD account •••• 6789$/m,
      /^ {2}reason +More than 20\.00 USD needs approval\.$/m,
      /^ {2}left +225\.00 USD today, including this one$/m,
    ])
      expect(prompt).toMatch(words)
    const second = await pay(3_000n)
    await watch.until(second.id)

    const approved = await run('approve', first.id)
    expect(approved).toMatchObject({ exitCode: 0, stderr: '' })
    expect(approved.stdout).toContain(`${first.id} is APPROVED\n`)
    await watch.until(`${first.id} has been decided.`)
    const rejected = await run('reject', second.id, '--reason', 'Not this month', '--json')
    expect(JSON.parse(rejected.stdout)).toMatchObject({ id: second.id, rejectionReason: 'Not this month' })
    expect(await watch.end()).toBe(0)
    expect((await agent.waitForDecision(second.id)).status).toBe('REJECTED')

    const alreadyDecided = await run('approve', second.id)
    expect(alreadyDecided).toMatchObject({ exitCode: 1, stdout: '' })
    expect(alreadyDecided.stderr).toMatch(/^No action \S+ is waiting for approval\. .*--agent Agent:…\n$/)
    const conflict = await run('approve', second.id, '--agent', agentId!)
    expect(conflict.stderr).toMatch(/^The server refused: 409 ACTION_ALREADY_DECIDED: /)

    const third = await pay(4_000n)
    await countersign.agents.updatePolicy(agentId!, { spendingLimits: { perTransactionLimit: 1n } })
    const failed = await run('approve', third.id)
    expect(failed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(`${third.id} is FAILED`) })

    const list = await run('list')
    expect(list.stdout).toContain(`${agentId}  "Shopper", active, connected`)
    expect(list.stdout).toContain('today (UTC): 25.00 USD of 250.00 USD used; actions: 1')
    expect((await run('pause', agentId!)).stdout).toContain('is paused')
    await expect(pay(1n)).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect((await run('resume', agentId!, '--json')).stdout).toContain('"isPaused":false')
    expect((await run('code', agentId!)).stdout).toMatch(/^Device code {2}\S+ /)
    const unasked = await run('delete', agentId!)
    expect(unasked).toMatchObject({ exitCode: 1, stdout: '' })
    expect(unasked.stderr).toContain('--yes')
    expect((await run('delete', agentId!, '--yes')).exitCode).toBe(0)
    await expect(agent.me()).rejects.toMatchObject({ status: 401 })
  })

  test('reads a whole policy from a file, and leaves signing to the wallet holder', async () => {
    const { customer, dataDir, run } = await newShop()
    const policy = join(dataDir, 'policy.json')
    const policyFile = {
      permissions: ['CREATE_QUOTES', 'EXECUTE_QUOTES'],
      defaultExecutionMode: 'AUTO',
      spendingLimits: { currency: 'USDB', perTransactionLimit: 5_000_000 },
    }
    await writeFile(policy, JSON.stringify(policyFile))
    const created = await run(
      ...['create', '--customer', customer.customerId, '--name', 'A', '--policy', policy, '--json'],
    )
    const { agent: record, deviceCode } = JSON.parse(created.stdout)
    expect(record.policy).toEqual(policyFile)
    const agent = await Agent.redeem({ baseUrl: inject('baseUrl'), code: deviceCode.code })
    const quote = await agent.createQuote({
      source: { sourceType: 'ACCOUNT', accountId: customer.walletId },
      destination: { destinationType: 'ACCOUNT', accountId: customer.bankId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 2_000_000n,
    })
    const action = await agent.executeQuote(quote.id)
    const { exitCode, stdout, stderr } = await run('approve', action.id)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(
      /^The source is an embedded wallet, so its holder must sign the approval .*Ada Lovelace.*\n$/,
    )
  })

  test.each([
    [[], 'A policy needs --allow, --currency and --per-transaction, or a --policy file.'],
    [
      ['--allow', 'FLY', '--currency', 'USD', '--per-transaction', '1'],
      '--allow must be a comma-separated list of VIEW_TRANSACTIONS, ',
    ],
    [
      ['--allow', 'CREATE_QUOTES', '--currency', 'XXX', '--per-transaction', '1'],
      '--currency must be a known code like USD, not "XXX".',
    ],
    [
      ['--allow', 'CREATE_QUOTES', '--currency', 'USD', '--per-transaction', '1.005'],
      '--per-transaction must be an amount of USD with at most 2 decimal places, not "1.005".',
    ],
  ])('an invalid policy is reported in one line: %j', async (args, line) => {
    const dataDir = await mkdtemp(join(folder, 'data-'))
    await writeFile(
      join(dataDir, 'credentials.json'),
      JSON.stringify({ baseUrl: inject('baseUrl'), tokenId: 'Token:1', clientSecret: 'none' }),
    )
    const create = ['agent', 'create', '--customer', 'Customer:1', '--name', 'A', ...args]
    const { stdout, stderr } = await runProgram(create, { COUNTERSIGN_DATA_DIR: dataDir })
    const output = stdout + stderr
    expect(output).toContain(line)
    expect(output.trim().split('\n')).toHaveLength(1)
  })
})
