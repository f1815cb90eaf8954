import { describe, expect, test } from 'vitest'
import { Agent } from './agent.ts'
import { Client } from './client/client.ts'
import { NotDecidedError } from './waiting/wait-for-decision.ts'

const baseUrl = 'http://127.0.0.1:1/2025-10-13'
const ACTION = { id: 'AgentAction:1', status: 'PENDING_APPROVAL' }

/**
 * A server that responds with one body after the other and repeats the last one, and a clock that moves only
 * by waiting.
 */
function simulate(bodies: readonly object[]) {
  const sent: { readonly path: string; readonly method: string; readonly headers: Headers }[] = []
  const pauses: number[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const path = String(url).slice(baseUrl.length)
    sent.push({ path, method: init!.method!, headers: new Headers(init!.headers) })
    return Response.json(bodies[Math.min(sent.length, bodies.length) - 1])
  }
  const sleep = async (ms: number) => {
    pauses.push(ms)
  }
  const clock = () => pauses.reduce((sum, ms) => sum + ms, 0)
  return { connection: { baseUrl, fetch }, sent, pauses, options: { sleep, clock } }
}

test('an agent redeems a device code without credentials and then uses its token', async () => {
  const { connection, sent } = simulate([
    { agentId: 'Agent:1', agentName: 'A', accessToken: 'secret', policy: {} },
    ACTION,
  ])
  const agent = await Agent.redeem({ ...connection, code: 'ABCD-EFGH' })
  expect(agent.accessToken).toBe('secret')
  await agent.action('AgentAction:1')
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /agents/device-codes/ABCD-EFGH/redeem',
    'GET /agents/me/actions/AgentAction:1',
  ])
  expect(sent.map(({ headers }) => headers.get('Authorization'))).toEqual([null, 'Bearer secret'])
})

test('a client uses either platform credentials or an agent token', () => {
  expect(() => new Client({ baseUrl, tokenId: 'Token:1', clientSecret: 's', accessToken: 't' })).toThrow(
    TypeError,
  )
})

describe('waiting for a decision', () => {
  test.each(['APPROVED', 'REJECTED', 'FAILED'] as const)('ends with %s', async (status) => {
    const { connection, sent, options } = simulate([ACTION, ACTION, { ...ACTION, status }])
    const agent = Agent.withToken({ ...connection, accessToken: 'secret' })
    expect((await agent.waitForDecision(ACTION.id, options)).status).toBe(status)
    expect(sent).toHaveLength(3)
  })

  test('polls at the requested interval and rejects with the last state on timeout', async () => {
    const { connection, options, pauses } = simulate([ACTION])
    const agent = Agent.withToken({ ...connection, accessToken: 'secret' })
    const wait = agent.waitForDecision(ACTION.id, { ...options, timeoutMs: 1_000, pollEveryMs: 300 })
    const error = await wait.catch((error: unknown) => error)
    expect(error).toBeInstanceOf(NotDecidedError)
    expect((error as NotDecidedError).action.status).toBe('PENDING_APPROVAL')
    expect(pauses).toEqual([25, 50, 100, 200, 300, 300, 25])
  })
})
