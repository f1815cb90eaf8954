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
const readStatus = (code: string) => client.get(`/agents/device-codes/${code}/status`)
const readMe = (token: string) =>
  client.send('GET', '/agents/me', undefined, { Authorization: `Bearer ${token}` })

describe('a device code', () => {
  test('is short, without characters that are easily confused, and has over 40 bits', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, newCode))
    for (const deviceCode of codes) {
      expect(deviceCode.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}$/)
      expect(deviceCode).toMatchObject({ agentId: agent.id, redeemed: false })
    }
    expect(9 * Math.log2(32)).toBeGreaterThan(40)
    expect(new Set(codes.map(({ code }) => code)).size).toBe(20)
    // Every position is random.
    const listLetters = (position: number) => new Set(codes.map(({ code }) => code[position]))
    for (const position of [0, 1, 2, 4, 5, 6, 8, 9, 10])
      expect(listLetters(position).size, `${position}`).toBeGreaterThan(5)
  })

  test('is accepted in upper or lower case, with or without hyphens, and with O for 0 and I or L for 1', async () => {
    const spellings: ((code: string) => string)[] = [
      (code) => code.toLowerCase(),
      (code) => code.replaceAll('-', ''),
      (code) => [...code.replaceAll('-', '')].join('-'),
      (code) => encodeURIComponent(` ${code.replaceAll('-', ' ')} `),
      (code) => code.replaceAll('0', 'o').replaceAll('1', 'l'),
      (code) => code.replaceAll('0', 'O').replaceAll('1', 'I'),
    ]
    for (const spell of spellings) {
      let { code } = await newCode()
      // The code needs a character that can be confused.
      while (!/[01]/.test(code)) ({ code } = await newCode())
      expect((await readStatus(spell(code))).body).toEqual({
        code: decodeURIComponent(spell(code)),
        redeemed: false,
      })
      expect((await redeem(spell(code))).status, spell(code)).toBe(200)
      expect((await readStatus(spell(code))).body.redeemed).toBe(true)
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
    expect((await readMe(token)).status).toBe(200)
    // The previous token is no longer valid.
    expectError(await readMe(agent.token), { code: 'UNAUTHORIZED', reason: 'Invalid credentials' })
    expect((await readStatus(code)).body).toEqual({ code, redeemed: true })
    const responses = [
      await client.get('/agents'),
      await client.get(`/agents/${agent.id}`),
      await readMe(token),
      await client.get('/events?limit=100'),
    ]
    for (const { body } of responses) {
      expect(toJson(body)).not.toContain(token)
      expect(toJson(body)).not.toContain(code)
    }
  })

  test('is valid for 15 minutes by the clock of the platform', async () => {
    const world = await newAgentPlatform()
    const createCode = async () => (await world.client.post(`/agents/${world.agent.id}/device-codes`)).body
    const expired = await createCode()
    const now = Date.parse((await world.client.get('/sandbox/clock')).body.now)
    expect(Math.abs(Date.parse(expired.expiresAt) - now - 15 * 60_000)).toBeLessThan(timeLimit(60_000))
    await world.client.advance(15 * 60)
    expectError(await redeem(expired.code), { code: 'DEVICE_CODE_NOT_FOUND', field: 'code' })
    const inTime = await createCode()
    await world.client.advance(13 * 60)
    expect((await redeem(inTime.code)).status).toBe(200)
  })

  test('is replaced by a newer one, but the token stays valid until the newer code is redeemed', async () => {
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
    const listConnected = async (isConnected: boolean) =>
      (await client.get(`/agents?isConnected=${isConnected}`)).body.data.map(({ id }: { id: string }) => id)
    expect(agent.isConnected).toBe(false)
    expect(await listConnected(false)).toEqual([agent.id])
    const token = (await redeem(deviceCode.code)).body.accessToken
    expect(await listConnected(true)).toContain(agent.id)
    expect(await listConnected(false)).toEqual([])
    const nextCode = (await client.post(`/agents/${agent.id}/device-codes`)).body.code
    expect((await client.send('DELETE', `/agents/${agent.id}`)).status).toBe(204)
    expectError(await readMe(token), { code: 'UNAUTHORIZED' })
    expectError(await redeem(nextCode), { code: 'DEVICE_CODE_NOT_FOUND' })
    expectError(await client.post(`/agents/${agent.id}/device-codes`), { code: 'AGENT_NOT_FOUND' })
  })

  test('shows its status to its own platform only', async () => {
    const { code } = await newCode()
    const otherPlatform = await newPlatform()
    const path = `/agents/device-codes/${code}/status`
    expectError(await otherPlatform.get(path), { code: 'DEVICE_CODE_NOT_FOUND', field: 'code' })
    expectError(await otherPlatform.get('/agents/device-codes/000-000-000/status'), {
      code: 'DEVICE_CODE_NOT_FOUND',
    })
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
    address: string,
    body?: object,
  ) {
    const reply = await service.server.inject({
      method,
      url: `/2025-10-13${path}`,
      headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
      remoteAddress: address,
      ...(body ? { payload: body } : {}),
    })
    return { status: reply.statusCode, body: reply.json(), retryAfter: reply.headers['retry-after'] }
  }

  async function createObject(path: string, body?: object) {
    return (await call('POST', path, basic, '10.0.0.1', body)).body
  }

  async function newAgentWithCode() {
    const customer = await createObject('/customers', {
      customerType: 'INDIVIDUAL',
      fullName: 'Ada Lovelace',
    })
    const body = { name: 'Shopper', customerId: customer.id, policy: toPlain(POLICY) }
    const { agent, deviceCode } = await createObject('/agents', body)
    return { id: agent.id as string, code: deviceCode.code as string }
  }

  const toPlain = (value: object): object => JSON.parse(toJson(value))
  const guess = (code: string, address: string) =>
    call('POST', `/agents/device-codes/${code}/redeem`, '', address)
  /** Distinct codes that do not exist. */
  const buildWrongCode = (index: number) => `000-000-${String(index).padStart(3, '0')}`
  const expectLimited = (reply: Awaited<ReturnType<typeof call>>) => {
    expect(reply.body).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    expect(Number(reply.retryAfter)).toBeGreaterThan(0)
    expect(Number(reply.retryAfter)).toBeLessThanOrEqual(15 * 60)
  }

  test('codes from one address blocks that address even for a right code, but no other address', async () => {
    const { code } = await newAgentWithCode()
    const { attemptsMax } = ATTEMPT_LIMITS.deviceCodesByAddress
    for (let index = 0; index < attemptsMax; index++)
      expect((await guess(buildWrongCode(index), '10.0.0.2')).body.code).toBe('DEVICE_CODE_NOT_FOUND')
    expectLimited(await guess(buildWrongCode(attemptsMax), '10.0.0.2'))
    expectLimited(await guess('not a code', '10.0.0.2'))
    expectLimited(await guess(code, '10.0.0.2'))
    expect((await guess(code, '10.0.0.3')).status).toBe(200)
  })

  test('one code from many addresses blocks that code', async () => {
    const { attemptsMax } = ATTEMPT_LIMITS.deviceCode
    for (let index = 0; index < attemptsMax; index++)
      expect((await guess('ZZZ-ZZZ-ZZZ', `10.0.1.${index}`)).body.code).toBe('DEVICE_CODE_NOT_FOUND')
    expectLimited(await guess('zzzzzzzzz', '10.0.1.99'))
    // A code that was valid before is limited in the same way.
    const { code } = await newAgentWithCode()
    expect((await guess(code, '10.0.1.99')).status).toBe(200)
    for (let index = 0; index < attemptsMax; index++)
      expect((await guess(code, `10.0.2.${index}`)).body.code).toBe('DEVICE_CODE_NOT_FOUND')
    expectLimited(await guess(code, '10.0.2.99'))
  })

  test('codes by reading their status blocks further reads, but neither other platforms nor redeeming', async () => {
    const { code } = await newAgentWithCode()
    const readStatusAs = (code: string, authorization: string, address: string) =>
      call('GET', `/agents/device-codes/${code}/status`, authorization, address)
    const { attemptsMax } = ATTEMPT_LIMITS.deviceCodeReads
    for (let index = 0; index < attemptsMax; index++)
      expect((await readStatusAs(buildWrongCode(index), basic, `10.0.3.${index}`)).body.code).toBe(
        'DEVICE_CODE_NOT_FOUND',
      )
    expectLimited(await readStatusAs(buildWrongCode(attemptsMax), basic, '10.0.3.99'))
    expectLimited(await readStatusAs(code, basic, '10.0.3.99'))
    const otherPlatform = await createPlatform(service.app, 'Other')
    const otherBasic = `Basic ${Buffer.from(`${otherPlatform.tokenId}:${otherPlatform.clientSecret}`).toString('base64')}`
    expect((await readStatusAs(code, otherBasic, '10.0.3.99')).body.code).toBe('DEVICE_CODE_NOT_FOUND')
    expect((await guess(code, '10.0.3.99')).status).toBe(200)
  })

  test('tokens from one address blocks further guesses, but not a valid token from that address', async () => {
    const { code } = await newAgentWithCode()
    const { accessToken } = (await guess(code, '10.0.0.4')).body
    const readMeFrom = (token: string, address: string) =>
      call('GET', '/agents/me', `Bearer ${token}`, address)
    for (let index = 0; index < ATTEMPT_LIMITS.bearerTokensByAddress.attemptsMax; index++)
      expect((await readMeFrom(`csa_${index}`, '10.0.0.4')).status).toBe(401)
    expectLimited(await readMeFrom('csa_wrong', '10.0.0.4'))
    expect((await readMeFrom(accessToken, '10.0.0.4')).status).toBe(200)
    expect((await readMeFrom('csa_wrong', '10.0.0.5')).status).toBe(401)
  })
})
