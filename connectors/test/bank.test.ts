import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PaymentRequest } from '@countersign/contract/connectors/protocol'
import { validateIBAN } from 'ibantools'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../test/free-port.testing.ts'
import { Wire } from '../check/kit/wire.ts'
import { Journal } from '../example-bank/journal.ts'
import { ibanOf, ROUTING_NUMBER } from '../example-bank/numbers.ts'
import { type BankOptions, startBank } from '../example-bank/start.ts'
import { startBankProcess } from './bank-process.testing.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const TO_PAY = { accountType: 'EUR_ACCOUNT', account: { iban: 'DE89370400440532013000' } } as const

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'example-bank-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function newWire(url: string): Wire {
  const wire = new Wire(url, [SECRET], 10_000)
  onTestFinished(() => wire.close())
  return wire
}

function newPayment(value = '100'): PaymentRequest {
  const id = `Transaction:${randomUUID()}`
  const amount = { value, currency: 'EUR' }
  return { id, amount, beneficiary: TO_PAY, reference: 'R', requestedAt: '2026-11-22T12:00:00Z' }
}

const creating = (body: PaymentRequest) =>
  ({ method: 'POST', path: '/payments', body, creates: body.id }) as const

async function newBank(options: Partial<BankOptions> = {}) {
  const folder = options.folder ?? (await newFolder())
  const bank = await startBank({ port: 0, secrets: SECRET, ...options, folder })
  onTestFinished(bank.close)
  return {
    url: bank.url,
    close: bank.close,
    wire: newWire(bank.url),
    control: controlClientOf(bank.url),
    folder,
  }
}

function controlClientOf(url: string) {
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
async function newDoor() {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
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
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, counts, order, received }
}

test('a bank that is killed at any moment keeps its acknowledged payments, and pays each once', async () => {
  const options = { port: await freePort(), folder: await newFolder(), secrets: SECRET }
  const behaviour = { settleDelayMs: 20 }
  let bank = await startBankProcess({ ...options, behaviour })
  onTestFinished(() => bank.kill())
  const wire = newWire(bank.url)
  const payments: PaymentRequest[] = []
  const answered = new Set<string>()
  for (let round = 0; round < 8; round++) {
    const batch = Array.from({ length: 50 }, () => newPayment())
    payments.push(...batch)
    // The bank is killed after this number of responses, with other calls in progress.
    let left = Math.floor(Math.random() * 60)
    let killed: Promise<void> | undefined = left === 0 ? bank.kill() : undefined
    const sends = batch.map(async (payment) => {
      // Repeats of earlier payments run at the same time.
      const again = payments[Math.floor(Math.random() * payments.length)]!
      for (const one of [payment, again]) {
        const reply = await wire.call(creating(one)).catch(() => undefined)
        if (reply?.status !== 200) continue
        answered.add(one.id)
        left -= 1
        if (left <= 0) killed ??= bank.kill()
      }
    })
    await Promise.all(sends)
    await killed
    bank = await startBankProcess({ ...options, behaviour })
    for (const id of answered)
      expect((await wire.call({ method: 'GET', path: `/payments/${id}` })).status, id).toBe(200)
  }
  expect(answered.size).toBeGreaterThan(0)
  for (const payment of payments) expect((await wire.call(creating(payment))).status).toBe(200)
  const control = controlClientOf(bank.url)
  await expect
    .poll(async () =>
      (await control('GET', 'payments')).body.data.filter((one) => one.status !== 'DELIVERED'),
    )
    .toEqual([])
  const { data } = (await control('GET', 'payments')).body
  expect(data.map(({ bookings }) => bookings)).toEqual(payments.map(() => 1))
  const { body } = await wire.call({ method: 'GET', path: '/balance' })
  expect(body).toMatchObject({ balances: [{ currency: 'EUR', value: String(-100 * payments.length) }, {}] })
  expect(await bank.stop()).toBe(0)
})

test('a line at the end of the journal that a crash cut off is ignored', async () => {
  const path = join(await newFolder(), 'journal.jsonl')
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

test('a restarted bank delivers the events that Countersign has not received, and no others', async () => {
  const door = await newDoor()
  const folder = await newFolder()
  const first = await newBank({ folder, behaviour: { settleDelayMs: 0 }, events: door.url })
  const [early, late] = [newPayment(), newPayment()]
  await first.wire.call(creating(early))
  await door.received(1)
  await expect.poll(async () => (await first.control('GET', 'events')).body.data).toEqual([])
  await first.control('PATCH', 'behaviour', { holdEvents: true })
  await first.wire.call(creating(late))
  await expect.poll(async () => (await first.control('GET', 'events')).body.data.length).toBe(1)
  await first.close()
  await newBank({ folder, events: door.url })
  await door.received(2)
  expect(door.order).toEqual([early.id, late.id])
})

test('the bank repeats and shuffles events on request, and holds them until they are released', async () => {
  const door = await newDoor()
  const behaviour = { settleDelayMs: 0, repeatEvents: 3, shuffleEvents: true, holdEvents: true }
  const { wire, control } = await newBank({ behaviour, events: door.url })
  const payments = Array.from({ length: 20 }, () => newPayment())
  for (const payment of payments) await wire.call(creating(payment))
  expect(door.order).toEqual([])
  await control('PATCH', 'behaviour', { holdEvents: false })
  await door.received(60)
  expect([...door.counts.values()]).toEqual(payments.map(() => 3))
  expect([...new Set(door.order)]).not.toEqual(payments.map(({ id }) => id))
  expect(new Set(door.order)).toEqual(new Set(payments.map(({ id }) => id)))
})

test('a dropped response leaves the payment, a dropped call leaves nothing, and a closed bank returns 503', async () => {
  const { wire, control } = await newBank({ behaviour: { settleDelayMs: 0 } })
  const [kept, lost, late] = [newPayment(), newPayment(), newPayment()]
  const statusOf = async ({ id }: PaymentRequest) =>
    (await wire.call({ method: 'GET', path: `/payments/${id}` })).status

  await control('PATCH', 'behaviour', { dropAnswers: 1 })
  await expect(wire.call(creating(kept))).rejects.toThrow('got no answer')
  expect(await statusOf(kept)).toBe(200)

  await control('PATCH', 'behaviour', { dropRequests: 1 })
  await expect(wire.call(creating(lost))).rejects.toThrow('got no answer')
  expect(await statusOf(lost)).toBe(404)

  await control('PATCH', 'behaviour', { failUntilMs: Date.now() + 60_000 })
  expect((await wire.call(creating(late))).status).toBe(503)
  await control('PATCH', 'behaviour', { failUntilMs: 0 })
  expect(await statusOf(late)).toBe(404)
})

test('an event can arrive before the response to the call that caused it', async () => {
  const door = await newDoor()
  const { wire } = await newBank({ events: door.url })
  const iban = 'DE13370400440532013107'
  const payment = { ...newPayment(), beneficiary: { accountType: 'EUR_ACCOUNT' as const, account: { iban } } }
  const reply = await wire.call(creating(payment))
  expect(door.order).toEqual([payment.id])
  expect(reply.body).toMatchObject({ id: payment.id, status: 'DELIVERED' })
})

test('the control API returns a delivered payment and reverses a deposit, each once; the closed day lists both', async () => {
  const { wire, control } = await newBank({ behaviour: { settleDelayMs: 0 } })
  const details = { id: 'InternalAccount:1', purpose: 'ACCOUNT', currency: 'USD', reference: 'X' }
  const call = { method: 'POST', path: '/deposit-accounts', body: details, creates: details.id } as const
  const { account } = (await wire.call(call)).body as { account: { accountNumber: string } }
  const payment = newPayment('250')
  await wire.call(creating(payment))
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

test('the control API accepts only this machine and rejects unknown behaviour', async () => {
  const { control } = await newBank()
  expect((await control('PATCH', 'behaviour', { settleDelayMs: 'soon' })).status).toBe(400)
  expect((await control('PATCH', 'behaviour', { colour: 1 })).status).toBe(400)
  expect((await control('GET', 'vault')).status).toBe(404)
})

test('account numbers of the example bank pass the checks of other banks', () => {
  for (let account = 1_000_000_000; account < 1_000_000_200; account++)
    expect(validateIBAN(ibanOf(account)), ibanOf(account)).toEqual({ valid: true, errorCodes: [] })
  const weights = [3, 7, 1, 3, 7, 1, 3, 7, 1]
  const sum = [...ROUTING_NUMBER].reduce((total, digit, at) => total + Number(digit) * weights[at]!, 0)
  expect(sum % 10).toBe(0)
})
