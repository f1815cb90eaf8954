import type { IncomingMessage } from 'node:http'
import {
  AccountCheckRequest,
  amountOfDigits,
  CONNECTOR_BODY_BYTES_MAX,
  CONNECTOR_VERSION,
  type ConnectorMoney,
  DepositAccountRequest,
  PaymentRequest,
  PullRequest,
} from '@countersign/contract/connectors/protocol'
import { readBody } from '@countersign/contract/connectors/reader'
import type { Static, TSchema } from 'typebox'
import { type CalledBank, paymentOf } from './bank.ts'
import { CURRENCIES, type Direction, type Order } from './books.ts'
import { type Answer, bodyOf, objectOf, ok, Refusal } from './http.ts'
import { isEventFirst } from './outcomes.ts'
import { isSigned } from './signatures.ts'

/** A call with a valid signature. */
interface Call {
  readonly bank: CalledBank
  readonly request: IncomingMessage
  /** The id or date in the path. */
  readonly name: string
  readonly query: URLSearchParams
  readonly body: Buffer
}

interface Route {
  readonly method: string
  readonly path: RegExp
  readonly answer: (call: Call) => Answer | Promise<Answer>
}

const ROUTES: readonly Route[] = [
  { method: 'POST', path: /^\/payments$/, answer: (call) => order(call, 'payment', PaymentRequest) },
  {
    method: 'GET',
    path: /^\/payments\/([^/]+)$/,
    answer: (call) => answerAbout(call, 'payment', orderNamed(call, 'payment')),
  },
  { method: 'POST', path: /^\/payments\/([^/]+)\/cancel$/, answer: cancel },
  { method: 'POST', path: /^\/pulls$/, answer: (call) => order(call, 'pull', PullRequest) },
  {
    method: 'GET',
    path: /^\/pulls\/([^/]+)$/,
    answer: (call) => answerAbout(call, 'pull', orderNamed(call, 'pull')),
  },
  { method: 'POST', path: /^\/deposit-accounts$/, answer: depositAccount },
  { method: 'POST', path: /^\/account-checks$/, answer: accountCheck },
  { method: 'GET', path: /^\/balance$/, answer: balance },
  { method: 'GET', path: /^\/statements\/([^/]+)$/, answer: statement },
]

/** Handles a call of the protocol: signature, version and endpoint. */
export async function answerCall(
  bank: CalledBank,
  secrets: readonly Buffer[],
  request: IncomingMessage,
): Promise<Answer> {
  const body = await bodyOf(request, CONNECTOR_BODY_BYTES_MAX)
  const { method = '', url = '', headers } = request
  const isOfThisCall = `${headers['webhook-id']} `.startsWith(`${method} ${url} `)
  if (!isOfThisCall || !isSigned(secrets, headers, body))
    throw new Refusal(401, 'INVALID_SIGNATURE', 'Signature missing, wrong, too old or for another call.')
  if (headers['connector-version'] !== CONNECTOR_VERSION)
    throw new Refusal(400, 'UNSUPPORTED_VERSION', `This connector supports version ${CONNECTOR_VERSION}.`)
  const { pathname, searchParams: query } = new URL(url, 'http://bank')
  const route = ROUTES.find((one) => one.method === method && one.path.test(pathname))
  if (!route) throw new Refusal(404, 'NOT_FOUND', 'No endpoint matches this path.')
  const name = decodePart(route.path.exec(pathname)?.[1] ?? '')
  return route.answer({ bank, request, name, query, body })
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Refusal(400, 'INVALID_INPUT', 'The path is malformed.')
  }
}

/**
 * The validated body of a call. If the call creates something, its signature and key must have the id of the
 * body.
 */
function read<T extends TSchema>({ body, request }: Call, schema: T, creates: boolean): Static<T> {
  const { value, fault } = readBody(schema, objectOf(body))
  if (fault !== undefined) throw new Refusal(400, 'INVALID_INPUT', fault)
  if (!creates) return value
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
  if (request.headers['webhook-id'] !== `POST ${request.url} ${id}`)
    throw new Refusal(401, 'INVALID_SIGNATURE', 'The signature belongs to another id.')
  if (request.headers['idempotency-key'] !== id)
    throw new Refusal(400, 'INVALID_INPUT', 'Idempotency-Key must equal the id.')
  return value
}

function checkAmount({ value }: ConnectorMoney): void {
  if (!amountOfDigits(value)) throw new Refusal(400, 'INVALID_INPUT', 'amount.value is out of range.')
}

const CONFLICT = new Refusal(409, 'IDEMPOTENCY_CONFLICT', 'This id was used with a different body.')

async function order(
  call: Call,
  direction: Direction,
  schema: typeof PaymentRequest | typeof PullRequest,
): Promise<Answer> {
  const request = read(call, schema, true)
  checkAmount(request.amount)
  const made = call.bank.order(direction, request)
  if (!made) throw CONFLICT
  if (isEventFirst(request)) await call.bank.lastEventTold(made)
  return answerAbout(call, direction, made)
}

/**
 * The response to a call about an order, or, as often as the behavior settings request, about another one by
 * mistake.
 */
function answerAbout({ bank }: Call, direction: Direction, order: Order): Answer {
  const others = bank.behaviour.mixAnswers > 0 ? [...bank.books.orders[direction].values()] : []
  const other = others.find(({ status }) => status !== order.status) ?? others[0]
  if (!other || other === order) return ok(paymentOf(order))
  bank.behaviour.mixAnswers -= 1
  return ok(paymentOf(other))
}

function orderNamed({ bank, name }: Call, direction: Direction): Order {
  const found = bank.books.orders[direction].get(name)
  if (found) return found
  const code = direction === 'payment' ? 'PAYMENT_NOT_FOUND' : 'PULL_NOT_FOUND'
  throw new Refusal(404, code, `${direction === 'payment' ? 'Payment' : 'Pull'} not found.`)
}

function cancel(call: Call): Answer {
  objectOf(call.body)
  const order = orderNamed(call, 'payment')
  // If it is too late to cancel, the response has the actual state.
  call.bank.move(order, 'CANCELLED')
  return ok(paymentOf(order))
}

function depositAccount(call: Call): Answer {
  const request = read(call, DepositAccountRequest, true)
  if (!CURRENCIES.some((one) => one === request.currency))
    throw new Refusal(400, 'INVALID_INPUT', `This bank has no accounts in ${request.currency}.`)
  const answer = call.bank.detailsFor(request)
  if (!answer) throw CONFLICT
  return ok(answer)
}

function accountCheck(call: Call): Answer {
  return ok(call.bank.checkName(read(call, AccountCheckRequest, false)))
}

function balance({ bank }: Call): Answer {
  const balances = [...bank.books.balances].map(([currency, amount]) => ({
    value: String(amount),
    currency,
    decimals: 2,
  }))
  return ok({ balances, asOf: new Date().toISOString() })
}

function statement({ bank, name, query }: Call): Answer {
  const found = bank.books.statements.get(`${name}/${query.get('currency')}`)
  if (!found) throw new Refusal(404, 'STATEMENT_NOT_FOUND', 'The day has not been closed.')
  return ok(found)
}
