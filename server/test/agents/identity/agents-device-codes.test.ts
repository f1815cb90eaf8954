import { beforeAll, describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { toJson } from '../../../src/base/json/json.ts'
import { createPlatform } from '../../../src/edge/service/first-platform.ts'
import { ATTEMPT_LIMITS } from '../../../src/kernel/ports/failed-attempts.ts'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { type AgentClient, newAgentPlatform, POLICY } from '../../worlds/records/agents.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let client: Client
let agent: AgentClient
beforeAll(async () => {
  ;({ client, agent } = await newAgentPlatform())
})

const newCode = async () => (await client.post(`/agents/${agent.id}/device-codes`)).body
const redeem = (code: string) =>
  client.send('POST', `/agents/device-codes/${code}/redeem`, undefined, { Authorization: '' })
const statusOf = (code: string) => client.get(`/agents/device-codes/${code}/status`)
const meWith = (token: string) =>
  client.send('GET', '/agents/me', undefined, { Authorization: `Bearer ${token}` })

describe('a device code', () => {
  test('is short, without characters that are easily confused, and has over 40 bits', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, newCode))
    for (const one of codes) {
      expect(one.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}$/)
      expect(one).toMatchObject({ agentId: agent.id, redeemed: false })
    }
    expect(9 * Math.log2(32)).toBeGreaterThan(40)
    expect(new Set(codes.map(({ code }) => code)).size).toBe(20)
    // Every position is random.
    const letters = (at: number) => new Set(codes.map(({ code }) => code[at]))
    for (const at of [0, 1, 2, 4, 5, 6, 8, 9, 10]) expect(letters(at).size, `${at}`).toBeGreaterThan(5)
  })

  test('is accepted in any case, with or without hyphens, with O for 0, I and L for 1', async () => {
    const spellings: ((code: string) => string)[] = [
      (code) => code.toLowerCase(),
      (code) => code.replaceAll('-', ''),
      (code) => [...code.replaceAll('-', '')].join('-'),
      (code) => encodeURIComponent(` ${code.replaceAll('-', ' ')} `),
      (code) => code.replaceAll('0', 'o').replaceAll('1', 'l'),
      (code) => code.replaceAll('0', 'O').replaceAll('1', 'I'),
    ]
    for (const spelled of spellings) {
      let { code } = await newCode()
      // A code with characters that can be confused.
      while (!/[01]/.test(code)) ({ code } = await newCode())
      expect((await statusOf(spelled(code))).body).toEqual({
        code: decodeURIComponent(spelled(code)),
        redeemed: false,
      })
      expect((await redeem(spelled(code))).status, spelled(code)).toBe(200)
      expect((await statusOf(spelled(code))).body.redeemed).toBe(true)
    }
  })

  test('is valid once, and twenty parallel calls get one token', async () => {
    const { code } = await newCode()
    const replies = await Promise.all(Array.from({ length: 20 }, () => redeem(code)))
    const [redeemed, ...others] = replies.toSorted((one, other) => one.status - other.status)
    expect(redeemed).toMatchObject({
      status: 200,
      body: { agentId: agent.id, agentName: 'Shopper', policy: POLICY },
    })
    for (const reply of others) expectError(reply, { code: 'DEVICE_CODE_NOT_FOUND', field: 'code' })
    const token: string = redeemed!.body.accessToken
    expect(Buffer.from(token.slice('csa_'.length), 'base64url')).toHaveLength(32)
    expect((await meWith(token)).status).toBe(200)
    // The previous token is no longer valid.
    expectError(await meWith(agent.token), { code: 'UNAUTHORIZED', reason: 'Invalid credentials' })
    expect((await statusOf(code)).body).toEqual({ code, redeemed: true })
    const shown = [
      await client.get('/agents'),
      await client.get(`/agents/${agent.id}`),
      await meWith(token),
      await client.get('/events?limit=100'),
    ]
    for (const { body } of shown) {
      expect(toJson(body)).not.toContain(token)
      expect(toJson(body)).not.toContain(code)
    }
  })

  test('is valid for 15 minutes by the clock of the platform', async () => {
    const own = await newAgentPlatform()
    const code = async () => (await own.client.post(`/agents/${own.agent.id}/device-codes`)).body
    const late = await code()
    const createRecord = Date.parse((await own.client.get('/sandbox/clock')).body.now)
    expect(Math.abs(Date.parse(late.expiresAt) - createRecord - 15 * 60_000)).toBeLessThan(timeLimit(60_000))
    await own.client.advance(15 * 60)
    expectError(await redeem(late.code), { code: 'DEVICE_CODE_NOT_FOUND', field: 'code' })
    const inTime = await code()
    await own.client.advance(13 * 60)
    expect((await redeem(inTime.code)).status).toBe(200)
  })

  test('is replaced by a newer one, while the token stays valid until that is redeemed', async () => {
    const { client, agent } = await newAgentPlatform()
    const path = `/agents/${agent.id}/device-codes`
    const [older, newer] = [(await client.post(path)).body.code, (await client.post(path)).body.code]
    expectError(await redeem(older), { code: 'DEVICE_CODE_NOT_FOUND' })
    expect((await agent.get('/agents/me')).body).toMatchObject({ id: agent.id, isConnected: true })
    expect((await redeem(newer)).status).toBe(200)
    expectError(await agent.get('/agents/me'), { code: 'UNAUTHORIZED' })
    // Of many in parallel, exactly one stays valid.
    const codes = await Promise.all(Array.from({ length: 10 }, () => client.post(path)))
    expect(codes.map(({ status }) => status)).toEqual(Array(10).fill(201))
    const replies: Reply[] = []
    for (const { body } of codes) replies.push(await redeem(body.code))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('connects the agent, but never a deleted one', async () => {
    const { client, payer } = await newAgentPlatform()
    const body = { name: 'Late', customerId: payer.id, policy: POLICY }
    const { agent, deviceCode } = (await client.post('/agents', body)).body
    const connected = async (is: boolean) =>
      (await client.get(`/agents?isConnected=${is}`)).body.data.map(({ id }: { id: string }) => id)
    expect(agent.isConnected).toBe(false)
    expect(await connected(false)).toEqual([agent.id])
    const token = (await redeem(deviceCode.code)).body.accessToken
    expect(await connected(true)).toContain(agent.id)
    expect(await connected(false)).toEqual([])
    const next = (await client.post(`/agents/${agent.id}/device-codes`)).body.code
    expect((await client.send('DELETE', `/agents/${agent.id}`)).status).toBe(204)
    expectError(await meWith(token), { code: 'UNAUTHORIZED' })
    expectError(await redeem(next), { code: 'DEVICE_CODE_NOT_FOUND' })
    expectError(await client.post(`/agents/${agent.id}/device-codes`), { code: 'AGENT_NOT_FOUND' })
  })

  test('shows its status to its own platform only', async () => {
    const { code } = await newCode()
    const other = await newPlatform()
    const path = `/agents/device-codes/${code}/status`
    expectError(await other.get(path), { code: 'DEVICE_CODE_NOT_FOUND', field: 'code' })
    expectError(await other.get('/agents/device-codes/000-000-000/status'), { code: 'DEVICE_CODE_NOT_FOUND' })
  })
})

describe('guessing', () => {
  let service: SharedServer
  let basic: string
  beforeAll(async () => {
    service = await world('sandbox')
    const { tokenId, clientSecret } = await createPlatform(service.app, 'Test')
    basic = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  })

  async function call(
    method: 'GET' | 'POST',
    path: string,
    authorization: string,
    from: string,
    body?: object,
  ) {
    const reply = await service.server.inject({
      method,
      url: `/2025-10-13${path}`,
      headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
      remoteAddress: from,
      ...(body ? { payload: body } : {}),
    })
    return { status: reply.statusCode, body: reply.json(), retryAfter: reply.headers['retry-after'] }
  }

  async function made(path: string, body?: object) {
    return (await call('POST', path, basic, '10.0.0.1', body)).body
  }

  async function newConnected() {
    const customer = await made('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })
    const body = { name: 'Shopper', customerId: customer.id, policy: toPlain(POLICY) }
    const { agent, deviceCode } = await made('/agents', body)
    return { id: agent.id as string, code: deviceCode.code as string }
  }

  const toPlain = (value: object): object => JSON.parse(toJson(value))
  const guess = (code: string, from: string) => call('POST', `/agents/device-codes/${code}/redeem`, '', from)
  /** Distinct codes that nobody has. */
  const wrongCode = (index: number) => `000-000-${String(index).padStart(3, '0')}`
  const expectLimited = (reply: Awaited<ReturnType<typeof call>>) => {
    expect(reply.body).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    expect(Number(reply.retryAfter)).toBeGreaterThan(0)
    expect(Number(reply.retryAfter)).toBeLessThanOrEqual(15 * 60)
  }

  test('codes from one address is stopped, even for a right one afterwards; other addresses are not', async () => {
    const { code } = await newConnected()
    const { attemptsMax } = ATTEMPT_LIMITS.deviceCodesByAddress
    for (let index = 0; index < attemptsMax; index++)
      expect((await guess(wrongCode(index), '10.0.0.2')).body.code).toBe('DEVICE_CODE_NOT_FOUND')
    expectLimited(await guess(wrongCode(attemptsMax), '10.0.0.2'))
    expectLimited(await guess('not a code', '10.0.0.2'))
    expectLimited(await guess(code, '10.0.0.2'))
    expect((await guess(code, '10.0.0.3')).status).toBe(200)
  })

  test('one code from many addresses is stopped', async () => {
    const { attemptsMax } = ATTEMPT_LIMITS.deviceCode
    for (let index = 0; index < attemptsMax; index++)
      expect((await guess('ZZZ-ZZZ-ZZZ', `10.0.1.${index}`)).body.code).toBe('DEVICE_CODE_NOT_FOUND')
    expectLimited(await guess('zzzzzzzzz', '10.0.1.99'))
    // A code that was valid once is treated alike.
    const { code } = await newConnected()
    expect((await guess(code, '10.0.1.99')).status).toBe(200)
    for (let index = 0; index < attemptsMax; index++)
      expect((await guess(code, `10.0.2.${index}`)).body.code).toBe('DEVICE_CODE_NOT_FOUND')
    expectLimited(await guess(code, '10.0.2.99'))
  })

  test('codes by reading their status is stopped, whatever is read afterwards; other platforms and redeeming are not', async () => {
    const { code } = await newConnected()
    const read = (code: string, authorization: string, from: string) =>
      call('GET', `/agents/device-codes/${code}/status`, authorization, from)
    const { attemptsMax } = ATTEMPT_LIMITS.deviceCodeReads
    for (let index = 0; index < attemptsMax; index++)
      expect((await read(wrongCode(index), basic, `10.0.3.${index}`)).body.code).toBe('DEVICE_CODE_NOT_FOUND')
    expectLimited(await read(wrongCode(attemptsMax), basic, '10.0.3.99'))
    expectLimited(await read(code, basic, '10.0.3.99'))
    const other = await createPlatform(service.app, 'Other')
    const otherBasic = `Basic ${Buffer.from(`${other.tokenId}:${other.clientSecret}`).toString('base64')}`
    expect((await read(code, otherBasic, '10.0.3.99')).body.code).toBe('DEVICE_CODE_NOT_FOUND')
    expect((await guess(code, '10.0.3.99')).status).toBe(200)
  })

  test('tokens is stopped, while a valid token works from the same address', async () => {
    const { code } = await newConnected()
    const { accessToken } = (await guess(code, '10.0.0.4')).body
    const me = (token: string, from: string) => call('GET', '/agents/me', `Bearer ${token}`, from)
    for (let index = 0; index < ATTEMPT_LIMITS.bearerTokensByAddress.attemptsMax; index++)
      expect((await me(`csa_${index}`, '10.0.0.4')).status).toBe(401)
    expectLimited(await me('csa_wrong', '10.0.0.4'))
    expect((await me(accessToken, '10.0.0.4')).status).toBe(200)
    expect((await me('csa_wrong', '10.0.0.5')).status).toBe(401)
  })
})
