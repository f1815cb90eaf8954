import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PaymentRequest } from '@countersign/contract/connectors/protocol'
import { validateIBAN } from 'ibantools'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, listen } from '../../test/ports.testing.ts'
import { Wire, type WireCall } from '../check/kit/wire.ts'
import { Journal } from '../example-bank/journal.ts'
import { buildIban, ROUTING_NUMBER } from '../example-bank/numbers.ts'
import { type BankOptions, startBank } from '../example-bank/start.ts'
import { startBankProcess } from './bank-process.testing.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BENEFICIARY = { accountType: 'EUR_ACCOUNT', account: { iban: 'DE89370400440532013000' } } as const

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'example-bank-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function createWire(url: string): Wire {
  const wire = new Wire(url, [SECRET], 10_000)
  onTestFinished(() => wire.close())
  return wire
}

function buildPayment(value = '100'): PaymentRequest {
  const id = `Transaction:${randomUUID()}`
  const amount = { value, currency: 'EUR' }
  return { id, amount, beneficiary: BENEFICIARY, reference: 'R', requestedAt: '2026-11-22T12:00:00Z' }
}

const toCreateCall = (body: PaymentRequest) =>
  ({ method: 'POST', path: '/payments', body, createdId: body.id }) satisfies WireCall

async function openBank(options: Partial<BankOptions> = {}) {
  const folder = options.folder ?? (await createFolder())
  const bank = await startBank({ port: 0, secrets: SECRET, ...options, folder })
  onTestFinished(bank.close)
  return {
    url: bank.url,
    close: bank.close,
    wire: createWire(bank.url),
    control: createControlClient(bank.url),
    folder,
  }
}

function createControlClient(url: string) {
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/bank/${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: (await response.json()) as { data: Order[]; date: string } }
  }
}

interface Order {
  readonly id: string
  readonly status: string
  readonly bookings: number
}

/** Receives events as Countersign does, and counts the deliveries of each event. */
async function startReceiver() {
  const counts = new Map<string, number>()
  const order: string[] = []
  let waiting: () => void = () => {}
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const event = JSON.parse(Buffer.concat(parts).toString()) as { id: string; data: { id: string } }
    counts.set(event.id, (counts.get(event.id) ?? 0) + 1)
    order.push(event.data.id)
    response.end('{}')
    waiting()
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const received = (total: number) =>
    new Promise<void>((resolve) => {
      waiting = () => {
        if (order.length >= total) resolve()
      }
      waiting()
    })
  return { url: `http://127.0.0.1:${port}/`, counts, order, received }
}

test('an example bank that is killed at any moment keeps its acknowledged payments and pays each once', async () => {
  const options = { port: await freePort(), folder: await createFolder(), secrets: SECRET }
  const behaviour = { settleDelayMs: 20 }
  let bank = await startBankProcess({ ...options, behaviour })
  onTestFinished(() => bank.kill())
  const wire = createWire(bank.url)
  const payments: PaymentRequest[] = []
  const acknowledgedIds = new Set<string>()
  for (let round = 0; round < 8; round++) {
    const batch = Array.from({ length: 50 }, () => buildPayment())
    payments.push(...batch)
    // The bank is killed after this number of responses, with other calls in progress.
    let left = Math.floor(Math.random() * 60)
    let killed: Promise<void> | undefined = left === 0 ? bank.kill() : undefined
    const sends = batch.map(async (payment) => {
      // Repeats of earlier payments run at the same time.
      const again = payments[Math.floor(Math.random() * payments.length)]!
      for (const request of [payment, again]) {
        const reply = await wire.call(toCreateCall(request)).catch(() => undefined)
        if (reply?.status !== 200) continue
        acknowledgedIds.add(request.id)
        left -= 1
        if (left <= 0) killed ??= bank.kill()
      }
    })
    await Promise.all(sends)
    await killed
    bank = await startBankProcess({ ...options, behaviour })
    for (const id of acknowledgedIds)
      expect((await wire.call({ method: 'GET', path: `/payments/${id}` })).status, id).toBe(200)
  }
  expect(acknowledgedIds.size).toBeGreaterThan(0)
  for (const payment of payments) expect((await wire.call(toCreateCall(payment))).status).toBe(200)
  const control = createControlClient(bank.url)
  await expect
    .poll(async () =>
      (await control('GET', 'payments')).body.data.filter((payment) => payment.status !== 'DELIVERED'),
    )
    .toEqual([])
  const { data } = (await control('GET', 'payments')).body
  expect(data.map(({ bookings }) => bookings)).toEqual(payments.map(() => 1))
  const { body } = await wire.call({ method: 'GET', path: '/balance' })
  expect(body).toMatchObject({ balances: [{ currency: 'EUR', value: String(-100 * payments.length) }, {}] })
  expect(await bank.stop()).toBe(0)
})

test('a journal ignores a last line that a crash cut off', async () => {
  const path = join(await createFolder(), 'journal.jsonl')
  const first = await Journal.open(path)
  first.journal.append({ n: 1 })
  first.journal.append({ n: 2 })
  await first.journal.close()
  await appendFile(path, '{"n":3')
  const second = await Journal.open(path)
  expect(second.changes).toEqual([{ n: 1 }, { n: 2 }])
  second.journal.append({ n: 4 })
  await second.journal.close()
  expect(await readFile(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":4}\n')
})

test('a restarted example bank delivers only the events that Countersign has not received', async () => {
  const receiver = await startReceiver()
  const folder = await createFolder()
  const first = await openBank({ folder, behaviour: { settleDelayMs: 0 }, events: receiver.url })
  const [early, late] = [buildPayment(), buildPayment()]
  await first.wire.call(toCreateCall(early))
  await receiver.received(1)
  await expect.poll(async () => (await first.control('GET', 'events')).body.data).toEqual([])
  await first.control('PATCH', 'behaviour', { holdEvents: true })
  await first.wire.call(toCreateCall(late))
  await expect.poll(async () => (await first.control('GET', 'events')).body.data.length).toBe(1)
  await first.close()
  await openBank({ folder, events: receiver.url })
  await receiver.received(2)
  expect(receiver.order).toEqual([early.id, late.id])
})

test('the example bank repeats and shuffles events on request, and holds them until they are released', async () => {
  const receiver = await startReceiver()
  const behaviour = { settleDelayMs: 0, repeatEvents: 3, shuffleEvents: true, holdEvents: true }
  const { wire, control } = await openBank({ behaviour, events: receiver.url })
  const payments = Array.from({ length: 20 }, () => buildPayment())
  for (const payment of payments) await wire.call(toCreateCall(payment))
  expect(receiver.order).toEqual([])
  await control('PATCH', 'behaviour', { holdEvents: false })
  await receiver.received(60)
  expect([...receiver.counts.values()]).toEqual(payments.map(() => 3))
  expect([...new Set(receiver.order)]).not.toEqual(payments.map(({ id }) => id))
  expect(new Set(receiver.order)).toEqual(new Set(payments.map(({ id }) => id)))
})

test('the example bank keeps a payment whose response it drops, ignores a dropped request and returns 503 while it fails', async () => {
  const { wire, control } = await openBank({ behaviour: { settleDelayMs: 0 } })
  const [kept, lost, late] = [buildPayment(), buildPayment(), buildPayment()]
  const readStatus = async ({ id }: PaymentRequest) =>
    (await wire.call({ method: 'GET', path: `/payments/${id}` })).status

  await control('PATCH', 'behaviour', { dropAnswers: 1 })
  await expect(wire.call(toCreateCall(kept))).rejects.toThrow('got no response')
  expect(await readStatus(kept)).toBe(200)

  await control('PATCH', 'behaviour', { dropRequests: 1 })
  await expect(wire.call(toCreateCall(lost))).rejects.toThrow('got no response')
  expect(await readStatus(lost)).toBe(404)

  await control('PATCH', 'behaviour', { failUntilMs: Date.now() + 60_000 })
  expect((await wire.call(toCreateCall(late))).status).toBe(503)
  await control('PATCH', 'behaviour', { failUntilMs: 0 })
  expect(await readStatus(late)).toBe(404)
})

test('the example bank can deliver an event before it responds to the call that caused it', async () => {
  const receiver = await startReceiver()
  const { wire } = await openBank({ events: receiver.url })
  const iban = 'DE13370400440532013107'
  const payment = {
    ...buildPayment(),
    beneficiary: { accountType: 'EUR_ACCOUNT' as const, account: { iban } },
  }
  const reply = await wire.call(toCreateCall(payment))
  expect(receiver.order).toEqual([payment.id])
  expect(reply.body).toMatchObject({ id: payment.id, status: 'DELIVERED' })
})

test('the control API of the example bank returns a payment and reverses a deposit once each, and the statement lists both', async () => {
  const { wire, control } = await openBank({ behaviour: { settleDelayMs: 0 } })
  const details = { id: 'InternalAccount:1', purpose: 'ACCOUNT', currency: 'USD', reference: 'X' }
  const call = {
    method: 'POST',
    path: '/deposit-accounts',
    body: details,
    createdId: details.id,
  } satisfies WireCall
  const { account } = (await wire.call(call)).body as { account: { accountNumber: string } }
  const payment = buildPayment('250')
  await wire.call(toCreateCall(payment))
  await expect.poll(async () => (await control('GET', 'payments')).body.data[0]?.status).toBe('DELIVERED')
  expect((await control('POST', `payments/${payment.id}/return`)).status).toBe(200)
  expect((await control('POST', `payments/${payment.id}/return`)).status).toBe(409)

  const deposit = { account: account.accountNumber, amount: '900', depositId: 'd-1' }
  for (const _repeat of [1, 2]) expect((await control('POST', 'deposits', deposit)).status).toBe(200)
  expect((await control('POST', 'deposits/d-1/reverse')).status).toBe(200)
  expect((await control('POST', 'deposits/d-1/reverse')).status).toBe(409)

  const { date } = (await control('POST', 'days/close')).body
  const statements = await Promise.all(
    ['EUR', 'USD'].map(async (currency) => {
      const path = `/statements/${date}?currency=${currency}`
      const { body } = await wire.call({ method: 'GET', path })
      const { closingBalance, entries } = body as { closingBalance: string; entries: { amount: string }[] }
      return [closingBalance, ...entries.map(({ amount }) => amount)]
    }),
  )
  expect(statements).toEqual([
    ['0', '-250', '250'],
    ['0', '900', '-900'],
  ])
})

test('the control API of the example bank rejects unknown settings and resources', async () => {
  const { control } = await openBank()
  expect((await control('PATCH', 'behaviour', { settleDelayMs: 'soon' })).status).toBe(400)
  expect((await control('PATCH', 'behaviour', { colour: 1 })).status).toBe(400)
  expect((await control('GET', 'vault')).status).toBe(404)
})

test('account numbers of the example bank pass the checks of other banks', () => {
  for (let account = 1_000_000_000; account < 1_000_000_200; account++)
    expect(validateIBAN(buildIban(account)), buildIban(account)).toEqual({ valid: true, errorCodes: [] })
  const weights = [3, 7, 1, 3, 7, 1, 3, 7, 1]
  const sum = [...ROUTING_NUMBER].reduce((total, digit, at) => total + Number(digit) * weights[at]!, 0)
  expect(sum % 10).toBe(0)
})
