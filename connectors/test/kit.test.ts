import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventSigningId } from '@countersign/contract/connectors/protocol'
import { test } from 'vitest'
import { freePort } from '../../test/free-port.testing.ts'
import { EXAMPLE_BANK_ACCOUNTS } from '../check/kit/accounts.ts'
import type { Result } from '../check/kit/report.ts'
import { checkConnector } from '../check/run.ts'
import { sign } from '../example-bank/signatures.ts'
import { startBank } from '../example-bank/start.ts'
import {
  type Answered,
  type BankProcess,
  type Between,
  openProxy,
  type Passed,
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
type AtEnd = (close: () => Promise<void>) => void

async function newFolder(atEnd: AtEnd): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'example-bank-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/**
 * A server with one endpoint that kills the bank and restarts it, with its journal or, if `forgets`, with an
 * empty one.
 */
async function startRestartServer(forgets: boolean, atEnd: AtEnd) {
  const [port, eventsPort] = [await freePort(), await freePort()]
  let folder = await newFolder(atEnd)
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
    if (forgets) folder = await newFolder(atEnd)
    bank = await start()
    response.end()
  })
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  atEnd(() => new Promise((resolve) => control.close(() => resolve())))
  const restart = { request: { url: `http://127.0.0.1:${(control.address() as AddressInfo).port}/` } }
  return { url: bank.url, eventsPort, accounts: { ...EXAMPLE_BANK_ACCOUNTS, restart } }
}

test.concurrent('the example bank passes every check, even if it is killed', async (t) => {
  const { expect } = t
  const control = await startRestartServer(false, t.onTestFinished)
  const results = await checkConnector({ ...control, ...WAITS, secrets: SECRETS })
  expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(results.length).toBeGreaterThan(55)
})

test.concurrent('the kit finds a bank that forgets its keys at a restart', async (t) => {
  const { expect } = t
  const control = await startRestartServer(true, t.onTestFinished)
  const results = await checkConnector({ ...control, ...SHORT_WAITS, secrets: SECRETS, groups: ['Restarts'] })
  expect(failedIn(results)).toContain('after a restart the same key is the same payment, paid once')
})

function failedIn(results: readonly Result[]): string[] {
  return results.filter(({ verdict }) => verdict === 'fail').map(({ name }) => name)
}

/** A correct bank behind a proxy that introduces one mistake into its calls or events. */
async function checkThrough(flaw: Flaw, atEnd: AtEnd): Promise<Result[]> {
  const eventsPort = await freePort()
  const events = await openProxy(() => `http://127.0.0.1:${eventsPort}`, flaw.events ?? passOn)
  atEnd(events.close)
  const bank = await startBank({
    port: 0,
    folder: await newFolder(atEnd),
    secrets: SECRETS.join(' '),
    behaviour: QUICK,
    events: events.url,
  })
  atEnd(bank.close)
  const calls = await openProxy(() => bank.url, flaw.calls ?? passOn)
  atEnd(calls.close)
  return checkConnector({ url: calls.url, eventsPort, secrets: SECRETS, ...SHORT_WAITS, groups: flaw.groups })
}

interface Flaw {
  readonly groups: readonly string[]
  readonly calls?: Between
  readonly events?: Between
  readonly caughtBy: readonly string[]
}

const passOn: Between = (call, pass) => pass(call)

const secretBytes = SECRETS.map((one) => Buffer.from(one.slice('whsec_'.length), 'base64'))

/** The call with a different body, signed again. */
function rewritten(call: Passed, body: string, id?: string): Passed {
  const signingId = `${call.method} ${call.url}${id === undefined ? '' : ` ${id}`}`
  const key = id === undefined ? {} : { 'idempotency-key': id }
  return { ...call, body, headers: { ...call.headers, ...key, ...sign(secretBytes, signingId, body) } }
}

const isOrder = ({ method, url }: Passed) => method === 'POST' && url === '/payments'
const idOf = ({ headers }: Passed) => headers['idempotency-key'] ?? ''

/** Turns repeats of an id into separate payments, under a hidden id. */
function payingTwice(): Between {
  const seen = new Set<string>()
  return async (call, pass) => {
    const id = idOf(call)
    if (!isOrder(call) || !seen.has(id)) {
      seen.add(id)
      return withoutReference(await pass(call))
    }
    const hidden = `Transaction:${crypto.randomUUID()}`
    const answer = await pass(rewritten(call, call.body.replaceAll(id, hidden), hidden))
    return withoutReference({ ...answer, body: answer.body.replaceAll(hidden, id) })
  }
}

function withoutReference(answer: Answered): Answered {
  return { ...answer, body: answer.body.replace(/"connectorReference":"[^"]*",?/, '').replace(',}', '}') }
}

/** Returns the first payment for a repeat, whatever its body says. */
function comparingNothing(): Between {
  const bodies = new Map<string, string>()
  return (call, pass) => {
    const first = bodies.get(idOf(call))
    if (!isOrder(call) || first === undefined) {
      bodies.set(idOf(call), call.body)
      return pass(call)
    }
    return pass(rewritten(call, first, idOf(call)))
  }
}

const trustingAnybody: Between = (call, pass) =>
  pass(rewritten(call, call.body, call.headers['idempotency-key']))

const ignoringTheVersion: Between = (call, pass) =>
  pass({ ...call, headers: { ...call.headers, 'connector-version': '1' } })

const failingOnBadBodies: Between = async (call, pass) => {
  const answer = await pass(call)
  return answer.status === 400 ? { ...answer, status: 500 } : answer
}

/** Claims that payments which never arrived are in progress. */
const inventing: Between = async (call, pass) => {
  const answer = await pass(call)
  if (answer.status !== 404 || call.method !== 'GET') return answer
  const id = call.url.split('/').at(-1)
  return { status: 200, body: JSON.stringify({ id, status: 'ACCEPTED' }) }
}

const losingAnEntry: Between = async (call, pass) => {
  const answer = await pass(call)
  if (!call.url.startsWith('/statements/') || answer.status !== 200) return answer
  const statement = JSON.parse(answer.body) as { entries: unknown[] }
  return { ...answer, body: JSON.stringify({ ...statement, entries: statement.entries.slice(1) }) }
}

/** Reports a failed payment as delivered. */
const hopeful: Between = async (call, pass) => {
  const answer = await pass(call)
  return { ...answer, body: answer.body.replace('"status":"FAILED"', '"status":"DELIVERED"') }
}

const signingWrongly: Between = (call, pass) => {
  const signature = call.headers['webhook-signature']!.replace(/^v1,./, (start) =>
    start === 'v1,A' ? 'v1,B' : 'v1,A',
  )
  return pass({ ...call, headers: { ...call.headers, 'webhook-signature': signature.split(' ')[0]! } })
}

/** Accepts each event from the bank without checking whether it is delivered. */
const askingOnce: Between = async (call, pass) => {
  await pass(call).catch(() => undefined)
  return { status: 200, body: '{}' }
}

/** Loses every tenth event. */
function dropping(): Between {
  let count = 0
  return (call, pass) => (++count % 10 === 0 ? Promise.resolve({ status: 200, body: '{}' }) : pass(call))
}

/** Turns each attempt into a separate event. */
function renaming(): Between {
  let count = 0
  return (call, pass) => {
    const event = JSON.parse(call.body) as { id: string }
    const id = `${event.id}-${++count}`
    const body = JSON.stringify({ ...event, id })
    return pass({
      ...call,
      body,
      headers: { ...call.headers, ...sign(secretBytes, eventSigningId(RAIL, id), body) },
    })
  }
}

const REPEATS = 'Repeats and broken connections'
const SIGNATURES = 'Signatures and versions'
const ALL_EVENTS = 'All events of this run'

const FLAWS: Readonly<Record<string, () => Flaw>> = {
  'pays twice for a repeat': () => ({
    groups: [REPEATS],
    calls: payingTwice(),
    caughtBy: [
      'a repeat with the same key is the same payment, paid once',
      'fifty parallel calls with one key are one payment',
    ],
  }),
  'takes another body under the same key': () => ({
    groups: [REPEATS],
    calls: comparingNothing(),
    caughtBy: ['the same key with another body is refused with 409, and nothing is paid for it'],
  }),
  'says that a payment is on its way which never arrived': () => ({
    groups: [REPEATS],
    calls: inventing,
    caughtBy: ['a payment that never arrived is 404 PAYMENT_NOT_FOUND, a pull 404 PULL_NOT_FOUND'],
  }),
  'answers 200 to a bad signature': () => ({
    groups: [SIGNATURES],
    calls: trustingAnybody,
    caughtBy: [
      'a call without a signature is refused with 401',
      'a signature by another secret is refused with 401',
      'a changed body is refused with 401',
      'a signature that is older or newer than five minutes is refused with 401',
      'a signature is valid only for its own method, path and id',
    ],
  }),
  'takes any version': () => ({
    groups: [SIGNATURES],
    calls: ignoringTheVersion,
    caughtBy: ['another version is refused with 4xx'],
  }),
  'breaks at a malformed body': () => ({
    groups: ['Invalid bodies'],
    calls: failingOnBadBodies,
    caughtBy: ['a malformed body is refused with 4xx, a code and a message'],
  }),
  'calls a failed payment delivered': () => ({
    groups: ['Payments'],
    calls: hopeful,
    caughtBy: ['a payment that cannot be made is FAILED with a reason, and nothing has left'],
  }),
  'leaves an entry out of its statement': () => ({
    groups: ['Payments', 'Statement'],
    calls: losingAnEntry,
    caughtBy: [
      'opening balance and entries make the closing balance',
      'each movement of this run is an entry, once, and nothing else is',
      'the event has the same content as GET',
    ],
  }),
  'signs its events wrongly': () => ({
    groups: ['Events', ALL_EVENTS],
    events: signingWrongly,
    caughtBy: ['each was signed, with its id and version in the headers'],
  }),
  'sends an event once, received or not': () => ({
    groups: ['Events', ALL_EVENTS],
    events: askingOnce,
    caughtBy: [
      'an event is delivered again, with the same id and content, until the receiver responds 2xx',
      'each that was not received at first was sent again',
    ],
  }),
  'drops an event': () => ({
    groups: ['Events', ALL_EVENTS],
    events: dropping(),
    caughtBy: [
      'the events of many payments at the same time all arrive',
      'every movement of money was reported',
    ],
  }),
  'gives each attempt at an event another id': () => ({
    groups: ['Events', ALL_EVENTS],
    events: renaming(),
    caughtBy: ['an event is delivered again, with the same id and content, until the receiver responds 2xx'],
  }),
}

test.concurrent.for(Object.entries(FLAWS))('a bank that %s is found', async ([, flawOf], t) => {
  const { expect } = t
  const flaw = flawOf()
  const results = await checkThrough(flaw, t.onTestFinished)
  expect(failedIn(results)).toEqual(expect.arrayContaining([...flaw.caughtBy]))
})

test.concurrent('a check without its entry in the accounts file is skipped, and names the missing field', async (t) => {
  const { expect, onTestFinished: atEnd } = t
  const bank = await startBank({
    port: 0,
    folder: await newFolder(atEnd),
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
  expect(failedIn(results)).toEqual([])
  const open = results.filter(({ verdict }) => verdict === 'not checked')
  expect(open.length).toBeGreaterThan(10)
  for (const { why } of open)
    expect(why).toMatch(/member \w+|no --events-port|there is no statement|one secret/)
})

test('the kit reports an unreachable connector immediately', async ({ expect }) => {
  const url = `http://127.0.0.1:${await freePort()}`
  await expect(checkConnector({ url, secrets: SECRETS, ...WAITS })).rejects.toThrow('got no answer')
})
