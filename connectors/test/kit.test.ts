import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toEventSigningId } from '@countersign/contract/connectors/protocol'
import { test } from 'vitest'
import { freePort, listen } from '../../test/ports.testing.ts'
import { EXAMPLE_BANK_ACCOUNTS } from '../check/kit/accounts.ts'
import type { Result } from '../check/kit/report.ts'
import { checkConnector } from '../check/run.ts'
import { sign } from '../example-bank/signatures.ts'
import { startBank } from '../example-bank/start.ts'
import {
  type BankProcess,
  type ForwardedCall,
  type ForwardedResponse,
  type Interceptor,
  openProxy,
  startBankProcess,
} from './bank-process.testing.ts'

const SECRETS = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((bytes) => `whsec_${bytes.toString('base64')}`)
const RAIL = 'example-bank'
const QUICK = { settleDelayMs: 40, returnDelayMs: 80 }
const WAITS = { waitMs: 15_000, graceMs: 150 }
/**
 * A failing check waits for its full time limit, so the limit is short. A shorter limit can only make more
 * checks fail.
 */
const SHORT_WAITS = { waitMs: 2000, graceMs: 150 }

/** Most of these tests wait, so they run concurrently, and each registers its own cleanup. */
type OnTestFinished = (close: () => Promise<void>) => void

async function createFolder(atEnd: OnTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'example-bank-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/**
 * A server with one endpoint that kills the bank and restarts it, with its journal or, if `forgets`, with an
 * empty one.
 */
async function startRestartServer(forgets: boolean, atEnd: OnTestFinished) {
  const [port, eventsPort] = [await freePort(), await freePort()]
  let folder = await createFolder(atEnd)
  const start = () =>
    startBankProcess({
      port,
      folder,
      secrets: SECRETS.join(' '),
      behaviour: QUICK,
      events: `http://127.0.0.1:${eventsPort}/rail-events/${RAIL}`,
    })
  let bank: BankProcess = await start()
  atEnd(() => bank.kill())
  const control = createServer(async (_request, response) => {
    await bank.kill()
    if (forgets) folder = await createFolder(atEnd)
    bank = await start()
    response.end()
  })
  const controlPort = await listen(control)
  atEnd(() => new Promise((resolve) => control.close(() => resolve())))
  const restart = { request: { url: `http://127.0.0.1:${controlPort}/` } }
  return { url: bank.url, eventsPort, accounts: { ...EXAMPLE_BANK_ACCOUNTS, restart } }
}

test.concurrent('the example bank passes every check of the connector kit, even if it is killed', async (t) => {
  const { expect } = t
  const control = await startRestartServer(false, t.onTestFinished)
  const results = await checkConnector({ ...control, ...WAITS, secrets: SECRETS })
  expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(results.length).toBeGreaterThan(55)
})

test.concurrent('the connector kit detects a bank that forgets its idempotency keys at a restart', async (t) => {
  const { expect } = t
  const control = await startRestartServer(true, t.onTestFinished)
  const results = await checkConnector({ ...control, ...SHORT_WAITS, secrets: SECRETS, groups: ['Restarts'] })
  expect(listFailures(results)).toContain('after a restart, the same key returns the same payment, paid once')
})

function listFailures(results: readonly Result[]): string[] {
  return results.filter(({ verdict }) => verdict === 'fail').map(({ name }) => name)
}

/** Checks a correct bank behind a proxy that introduces one flaw into its calls or events. */
async function checkWithFlaw(flaw: Flaw, atEnd: OnTestFinished): Promise<Result[]> {
  const eventsPort = await freePort()
  const events = await openProxy(() => `http://127.0.0.1:${eventsPort}`, flaw.events ?? forwardUnchanged)
  atEnd(events.close)
  const bank = await startBank({
    port: 0,
    folder: await createFolder(atEnd),
    secrets: SECRETS.join(' '),
    behaviour: QUICK,
    events: events.url,
  })
  atEnd(bank.close)
  const calls = await openProxy(() => bank.url, flaw.calls ?? forwardUnchanged)
  atEnd(calls.close)
  return checkConnector({ url: calls.url, eventsPort, secrets: SECRETS, ...SHORT_WAITS, groups: flaw.groups })
}

interface Flaw {
  readonly groups: readonly string[]
  readonly calls?: Interceptor
  readonly events?: Interceptor
  readonly caughtBy: readonly string[]
}

const forwardUnchanged: Interceptor = (call, pass) => pass(call)

const secretBytes = SECRETS.map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'))

/** Replaces the body of a call and signs it again. */
function replaceBody(call: ForwardedCall, body: string, id?: string): ForwardedCall {
  const signingId = `${call.method} ${call.url}${id === undefined ? '' : ` ${id}`}`
  const key = id === undefined ? {} : { 'idempotency-key': id }
  return { ...call, body, headers: { ...call.headers, ...key, ...sign(secretBytes, signingId, body) } }
}

const isOrder = ({ method, url }: ForwardedCall) => method === 'POST' && url === '/payments'
const readId = ({ headers }: ForwardedCall) => headers['idempotency-key'] ?? ''

/** Turns repeats of an id into separate payments, under a hidden id. */
function payRetriesAgain(): Interceptor {
  const seen = new Set<string>()
  return async (call, pass) => {
    const id = readId(call)
    if (!isOrder(call) || !seen.has(id)) {
      seen.add(id)
      return removeReference(await pass(call))
    }
    const hidden = `Transaction:${crypto.randomUUID()}`
    const response = await pass(replaceBody(call, call.body.replaceAll(id, hidden), hidden))
    return removeReference({ ...response, body: response.body.replaceAll(hidden, id) })
  }
}

function removeReference(response: ForwardedResponse): ForwardedResponse {
  return { ...response, body: response.body.replace(/"connectorReference":"[^"]*",?/, '').replace(',}', '}') }
}

/** Returns the first payment for a repeat, regardless of its body. */
function ignoreRetriedBody(): Interceptor {
  const bodies = new Map<string, string>()
  return (call, pass) => {
    const first = bodies.get(readId(call))
    if (!isOrder(call) || first === undefined) {
      bodies.set(readId(call), call.body)
      return pass(call)
    }
    return pass(replaceBody(call, first, readId(call)))
  }
}

const signAgain: Interceptor = (call, pass) =>
  pass(replaceBody(call, call.body, call.headers['idempotency-key']))

const replaceVersion: Interceptor = (call, pass) =>
  pass({ ...call, headers: { ...call.headers, 'connector-version': '1' } })

const replaceBadRequest: Interceptor = async (call, pass) => {
  const response = await pass(call)
  return response.status === 400 ? { ...response, status: 500 } : response
}

/** Claims that payments which never arrived are in progress. */
const inventPayments: Interceptor = async (call, pass) => {
  const response = await pass(call)
  if (response.status !== 404 || call.method !== 'GET') return response
  const id = call.url.split('/').at(-1)
  return { status: 200, body: JSON.stringify({ id, status: 'ACCEPTED' }) }
}

const removeEntry: Interceptor = async (call, pass) => {
  const response = await pass(call)
  if (!call.url.startsWith('/statements/') || response.status !== 200) return response
  const statement = JSON.parse(response.body) as { entries: unknown[] }
  return { ...response, body: JSON.stringify({ ...statement, entries: statement.entries.slice(1) }) }
}

/** Reports a failed payment as delivered. */
const hideFailures: Interceptor = async (call, pass) => {
  const response = await pass(call)
  return { ...response, body: response.body.replace('"status":"FAILED"', '"status":"DELIVERED"') }
}

const breakSignature: Interceptor = (call, pass) => {
  const signature = call.headers['webhook-signature']!.replace(/^v1,./, (start) =>
    start === 'v1,A' ? 'v1,B' : 'v1,A',
  )
  return pass({ ...call, headers: { ...call.headers, 'webhook-signature': signature.split(' ')[0]! } })
}

/** Accepts each event from the bank without checking whether it is delivered. */
const acknowledgeEvents: Interceptor = async (call, pass) => {
  await pass(call).catch(() => undefined)
  return { status: 200, body: '{}' }
}

/** Loses every tenth event. */
function dropTenthEvent(): Interceptor {
  let count = 0
  return (call, pass) => (++count % 10 === 0 ? Promise.resolve({ status: 200, body: '{}' }) : pass(call))
}

/** Turns each attempt into a separate event. */
function renameEvents(): Interceptor {
  let count = 0
  return (call, pass) => {
    const event = JSON.parse(call.body) as { id: string }
    const id = `${event.id}-${++count}`
    const body = JSON.stringify({ ...event, id })
    return pass({
      ...call,
      body,
      headers: { ...call.headers, ...sign(secretBytes, toEventSigningId(RAIL, id), body) },
    })
  }
}

const REPEATS = 'Repeats and broken connections'
const SIGNATURES = 'Signatures and versions'
const ALL_EVENTS = 'All events of this run'

const FLAWS: Readonly<Record<string, () => Flaw>> = {
  'pays twice for a repeat': () => ({
    groups: [REPEATS],
    calls: payRetriesAgain(),
    caughtBy: [
      'a repeat with the same key returns the same payment, paid once',
      'fifty parallel calls with one key make one payment',
    ],
  }),
  'accepts a different body under the same key': () => ({
    groups: [REPEATS],
    calls: ignoreRetriedBody(),
    caughtBy: ['the same key with a different body is refused with 409, and nothing is paid for it'],
  }),
  'reports a payment that never arrived as in progress': () => ({
    groups: [REPEATS],
    calls: inventPayments,
    caughtBy: ['a payment that never arrived returns 404 PAYMENT_NOT_FOUND, and a pull 404 PULL_NOT_FOUND'],
  }),
  'returns 200 for an invalid signature': () => ({
    groups: [SIGNATURES],
    calls: signAgain,
    caughtBy: [
      'a call without a signature is refused with 401',
      'a signature with a different secret is refused with 401',
      'a changed body is refused with 401',
      'a signature that is older or newer than five minutes is refused with 401',
      'a signature is valid only for its own method, path and id',
    ],
  }),
  'accepts any version': () => ({
    groups: [SIGNATURES],
    calls: replaceVersion,
    caughtBy: ['an unsupported version is refused with 4xx'],
  }),
  'returns 500 for a malformed body': () => ({
    groups: ['Invalid bodies'],
    calls: replaceBadRequest,
    caughtBy: ['a malformed body is refused with 4xx, a code and a message'],
  }),
  'reports a failed payment as delivered': () => ({
    groups: ['Payments'],
    calls: hideFailures,
    caughtBy: ['a payment that cannot be made becomes FAILED with a reason and moves no money'],
  }),
  'omits an entry from its statement': () => ({
    groups: ['Payments', 'Statement'],
    calls: removeEntry,
    caughtBy: [
      'the opening balance and the entries add up to the closing balance',
      'every movement of this run has exactly one entry, and there are no other entries',
      'the event has the same content as GET',
    ],
  }),
  'signs its events incorrectly': () => ({
    groups: ['Events', ALL_EVENTS],
    events: breakSignature,
    caughtBy: ['every event is signed, with its id and version in the headers'],
  }),
  'sends each event only once, received or not': () => ({
    groups: ['Events', ALL_EVENTS],
    events: acknowledgeEvents,
    caughtBy: [
      'an event is delivered again, with the same id and content, until the receiver responds 2xx',
      'every event that was not received at first is sent again',
    ],
  }),
  'drops an event': () => ({
    groups: ['Events', ALL_EVENTS],
    events: dropTenthEvent(),
    caughtBy: [
      'the events of many payments at the same time all arrive',
      'every movement of money is reported',
    ],
  }),
  'gives each delivery attempt a new event id': () => ({
    groups: ['Events', ALL_EVENTS],
    events: renameEvents(),
    caughtBy: ['an event is delivered again, with the same id and content, until the receiver responds 2xx'],
  }),
}

test.concurrent.for(Object.entries(FLAWS))(
  'the connector kit detects a bank that %s',
  async ([, createFlaw], t) => {
    const { expect } = t
    const flaw = createFlaw()
    const results = await checkWithFlaw(flaw, t.onTestFinished)
    expect(listFailures(results)).toEqual(expect.arrayContaining([...flaw.caughtBy]))
  },
)

test.concurrent('the connector kit skips a check without its entry in the accounts file and names the missing field', async (t) => {
  const { expect, onTestFinished: atEnd } = t
  const bank = await startBank({
    port: 0,
    folder: await createFolder(atEnd),
    secrets: SECRETS[0]!,
    behaviour: QUICK,
  })
  atEnd(bank.close)
  const { currency, delivered } = EXAMPLE_BANK_ACCOUNTS
  const results = await checkConnector({
    ...WAITS,
    url: bank.url,
    secrets: SECRETS.slice(0, 1),
    accounts: { currency, delivered },
    groups: ['Payments', 'Events', 'Statement', SIGNATURES],
  })
  expect(listFailures(results)).toEqual([])
  const skipped = results.filter(({ verdict }) => verdict === 'not checked')
  expect(skipped.length).toBeGreaterThan(10)
  for (const { why } of skipped)
    expect(why).toMatch(/field \w+|--events-port is not set|no statement was created|one secret/)
})

test('the connector kit reports an unreachable connector immediately', async ({ expect }) => {
  const url = `http://127.0.0.1:${await freePort()}`
  await expect(checkConnector({ url, secrets: SECRETS, ...WAITS })).rejects.toThrow('got no response')
})
