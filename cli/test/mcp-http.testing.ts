import { spawn } from 'node:child_process'
import { Countersign } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { inject } from 'vitest'
import { makeFundedCustomer, makePlatform } from '../../sdk/test/platform.testing.ts'
import { timeLimit } from '../../test/machine-speed.ts'
import { PROGRAM } from './shop.testing.ts'

const STARTS_MS = timeLimit(30_000)

/** Starts `countersign mcp --http` on a free port. Returns a function that ends it. */
export async function startHttp(...args: string[]) {
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

/** A new agent, not connected yet, and its device code. */
export async function makeDeviceCode() {
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
  return { countersign, customer, agentId: agent.id, code: deviceCode.code }
}

/** An agent with its token. */
export async function makeAgent() {
  const { code, ...agent } = await makeDeviceCode()
  const { accessToken } = await Agent.redeem({ baseUrl: inject('baseUrl'), code })
  return { ...agent, accessToken }
}
