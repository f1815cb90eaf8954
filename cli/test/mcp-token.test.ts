import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { makePlatform } from '../../sdk/test/platform.testing.ts'
import { findAgent } from '../src/mcp/agent-token.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-token-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function makeCodes() {
  const countersign = new Countersign(await makePlatform())
  const { body: customer } = await countersign.call('customer_create', {
    body: { customerType: 'INDIVIDUAL' },
  })
  const { agent, deviceCode } = await countersign.agents.create({
    name: 'A',
    customerId: customer.id,
    policy: {
      permissions: [],
      defaultExecutionMode: 'AUTO',
      spendingLimits: { currency: 'USD', perTransactionLimit: 0n },
    },
  })
  return {
    agentId: agent.id,
    code: deviceCode.code,
    another: () => countersign.agents.createDeviceCode(agent.id),
  }
}

const baseUrl = inject('baseUrl')

test('two processes with the same code share the agent, and the next code replaces the token', async () => {
  const { agentId, code, another } = await makeCodes()
  const tokenFile = join(folder, 'both', 'agent.json')
  const options = { baseUrl, code, tokenFile }
  const [first, second] = await Promise.all([findAgent(options), findAgent(options)])
  const agents = await Promise.all([first(), second()])
  expect(agents[0].accessToken).toBe(agents[1].accessToken)
  expect((await agents[0].me()).id).toBe(agentId)
  expect((await stat(tokenFile)).mode & 0o777).toBe(0o600)
  // Case and hyphens in the code do not matter, and the token file alone is sufficient.
  const written = code.toLowerCase().replaceAll('-', '')
  for (const again of [{ ...options, code: written }, { tokenFile }])
    expect((await (await findAgent(again))()).accessToken).toBe(agents[0].accessToken)

  const next = await (await findAgent({ ...options, code: (await another()).code }))()
  expect(next.accessToken).not.toBe(agents[0].accessToken)
  expect((await next.me()).id).toBe(agentId)
})

test('a token is sent only to its own server', async () => {
  const { code } = await makeCodes()
  const tokenFile = join(folder, 'own.json')
  await (await findAgent({ baseUrl, code, tokenFile }))()
  const other = findAgent({ baseUrl: 'http://127.0.0.1:8/2025-10-13', tokenFile })
  await expect(other).rejects.toThrow(`belongs to ${baseUrl}, not to http://127.0.0.1:8/2025-10-13`)
})

test('a code is not redeemed if its token cannot be stored', async () => {
  const { code } = await makeCodes()
  // The longest allowed name. Its temporary file has a longer one.
  const tokenFile = join(folder, `${'x'.repeat(250)}.json`)
  const inVain = await findAgent({ baseUrl, code, tokenFile })
  await expect(inVain()).rejects.toThrow('Cannot write')
  expect(
    (await (await findAgent({ baseUrl, code, tokenFile: join(folder, 'good.json') }))()).accessToken,
  ).toBeTruthy()
})

test('a malformed file is not accepted as a token', async () => {
  const tokenFile = join(folder, 'bad.json')
  await writeFile(tokenFile, '{"baseUrl":1}')
  await expect(findAgent({ tokenFile })).rejects.toThrow('is not a token file')
})
