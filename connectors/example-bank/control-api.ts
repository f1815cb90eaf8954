import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ReceivedDeposit } from '@countersign/contract/connectors/events'
import {
  CONNECTOR_BODY_BYTES_MAX,
  type ConnectorPaymentStatus,
} from '@countersign/contract/connectors/protocol'
import { isKeyOf } from '@countersign/contract/core/objects'
import type { Bank } from './bank.ts'
import type { Order } from './books.ts'
import { type HttpResponse, ok, parseObject, Refusal, readRequestBody } from './http.ts'
import { type Behaviour, DEFAULT_BEHAVIOUR } from './outcomes.ts'

/** The bank's control API for people and tests. Its requests are unsigned, so only this machine may call it. */
export const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/

const STATUS_BY_ACTION: Readonly<Record<string, ConnectorPaymentStatus>> = {
  accept: 'ACCEPTED',
  deliver: 'DELIVERED',
  fail: 'FAILED',
  return: 'RETURNED',
}

type JsonObject = Readonly<Record<string, unknown>>

export async function handleControlCall(bank: Bank, request: IncomingMessage): Promise<HttpResponse> {
  // Also rejects web pages open in a local browser (they send an Origin header).
  if (!LOOPBACK.test(request.socket.remoteAddress ?? '') || request.headers.origin) throw buildNotFound()
  const bytes = await readRequestBody(request, CONNECTOR_BODY_BYTES_MAX)
  const body = bytes.length > 0 ? parseObject(bytes) : {}
  const { pathname } = new URL(request.url ?? '', 'http://bank')
  const [resource = '', id = '', action = ''] = pathname
    .slice('/bank/'.length)
    .split('/')
    .map(decodeURIComponent)
  if (request.method === 'GET') return ok(describeState(bank, resource))
  if (request.method === 'PATCH' && resource === 'behaviour') return ok(changeBehaviour(bank, body))
  if (request.method !== 'POST') throw buildNotFound()
  if (resource === 'deposits' && id === '') return ok(makeDeposit(bank, body))
  if (resource === 'deposits' && action === 'reverse') return ok(reverseDeposit(bank, id))
  if (resource === 'days' && id === 'close') return ok({ date: bank.closeDay() })
  if (resource === 'payments') return ok(moveOrder(bank, bank.books.orders.payment.get(id), action))
  if (resource === 'pulls') return ok(moveOrder(bank, bank.books.orders.pull.get(id), action))
  throw buildNotFound()
}

function describeState({ books, behaviour }: Bank, resource: string): unknown {
  const summarizeOrders = (orders: ReadonlyMap<string, Order>) =>
    [...orders.values()].map(({ request, status, bookings }) => ({
      id: request.id,
      reference: request.reference,
      amount: request.amount,
      status,
      bookings,
    }))
  if (resource === 'payments') return { data: summarizeOrders(books.orders.payment) }
  if (resource === 'pulls') return { data: summarizeOrders(books.orders.pull) }
  if (resource === 'deposits') return { data: [...books.deposits.values()] }
  if (resource === 'events') return { data: [...books.outbox.values()] }
  if (resource === 'behaviour') return behaviour
  if (resource === 'entries') {
    const closed = [...books.statements.values()].flatMap(({ entries }) => entries)
    return { data: [...closed, ...[...books.entries.values()].flat()] }
  }
  throw buildNotFound()
}

/** Sets the fields in the body, after checking their types. */
function changeBehaviour({ behaviour, onBehaviour }: Bank, body: JsonObject): Behaviour {
  for (const [name, value] of Object.entries(body))
    if (!isKeyOf(DEFAULT_BEHAVIOUR, name) || typeof value !== typeof DEFAULT_BEHAVIOUR[name])
      throw new Refusal(400, 'INVALID_INPUT', `${name} is not a behaviour setting or has the wrong type.`)
  Object.assign(behaviour, body)
  onBehaviour()
  return behaviour
}

/** Simulates a deposit. `account` is an IBAN, an account number or a depositAccountId. */
function makeDeposit(bank: Bank, body: JsonObject): unknown {
  const { account, amount, currency, remittanceInformation, sender, depositId, rail } = body
  const details = bank.books.detailsByNumber.get(String(account))
  if (!details) throw new Refusal(404, 'ACCOUNT_NOT_FOUND', 'Account not found.')
  if (!/^[1-9][0-9]{0,17}$/.test(String(amount)))
    throw new Refusal(400, 'INVALID_INPUT', 'amount must be a string of digits greater than zero.')
  const uuid = randomUUID()
  const deposit: ReceivedDeposit = {
    depositId: String(depositId ?? `${bank.books.bankId}-d${uuid}`),
    depositAccountId: details.depositAccountId,
    amount: { value: String(amount), currency: String(currency ?? details.currency), decimals: 2 },
    sender: (sender as ReceivedDeposit['sender']) ?? {
      name: 'Outside Payer',
      accountIdentifier: 'DE89370400440532013000',
    },
    rail: String(rail ?? (details.currency === 'EUR' ? 'SEPA' : 'ACH')),
    endToEndId: uuid.slice(0, 8),
    receivedAt: new Date().toISOString(),
    ...(remittanceInformation === undefined ? {} : { remittanceInformation: String(remittanceInformation) }),
  }
  return bank.receiveDeposit(deposit)
}

function reverseDeposit(bank: Bank, id: string): unknown {
  const storedDeposit = bank.books.deposits.get(id)
  if (!storedDeposit) throw buildNotFound()
  if (!bank.reverseDeposit(storedDeposit))
    throw new Refusal(409, 'TOO_LATE', 'The deposit has already been returned.')
  return storedDeposit
}

function moveOrder(bank: Bank, order: Order | undefined, action: string): unknown {
  const status = STATUS_BY_ACTION[action]
  if (!order || !status) throw buildNotFound()
  if (!bank.moveOrder(order, status)) throw new Refusal(409, 'TOO_LATE', `The payment is ${order.status}.`)
  return { id: order.request.id, status: order.status, bookings: order.bookings }
}

function buildNotFound(): Refusal {
  return new Refusal(404, 'NOT_FOUND', 'No endpoint matches this path.')
}
