import type { IncomingMessage } from 'node:http'
import {
  AccountCheckRequest,
  CONNECTOR_BODY_BYTES_MAX,
  CONNECTOR_VERSION,
  type ConnectorMoney,
  DepositAccountRequest,
  PaymentRequest,
  PullRequest,
  parseDigits,
} from '@countersign/contract/connectors/protocol'
import { readBody } from '@countersign/contract/connectors/reader'
import type { Static, TSchema } from 'typebox'
import { type CalledBank, toConnectorPayment } from './bank.ts'
import { CURRENCIES, type Direction, type Order } from './books.ts'
import { type HttpResponse, ok, parseObject, Refusal, readRequestBody } from './http.ts'
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
  readonly handle: (call: Call) => HttpResponse | Promise<HttpResponse>
}

const ROUTES: readonly Route[] = [
  { method: 'POST', path: /^\/payments$/, handle: (call) => createOrder(call, 'payment', PaymentRequest) },
  {
    method: 'GET',
    path: /^\/payments\/([^/]+)$/,
    handle: (call) => respondAboutOrder(call, 'payment', findOrder(call, 'payment')),
  },
  { method: 'POST', path: /^\/payments\/([^/]+)\/cancel$/, handle: cancelPayment },
  { method: 'POST', path: /^\/pulls$/, handle: (call) => createOrder(call, 'pull', PullRequest) },
  {
    method: 'GET',
    path: /^\/pulls\/([^/]+)$/,
    handle: (call) => respondAboutOrder(call, 'pull', findOrder(call, 'pull')),
  },
  { method: 'POST', path: /^\/deposit-accounts$/, handle: openDepositAccount },
  { method: 'POST', path: /^\/account-checks$/, handle: checkAccount },
  { method: 'GET', path: /^\/balance$/, handle: readBalance },
  { method: 'GET', path: /^\/statements\/([^/]+)$/, handle: readStatement },
]

/** Handles a call of the protocol: signature, version and endpoint. */
export async function handleCall(
  bank: CalledBank,
  secrets: readonly Buffer[],
  request: IncomingMessage,
): Promise<HttpResponse> {
  const body = await readRequestBody(request, CONNECTOR_BODY_BYTES_MAX)
  const { method = '', url = '', headers } = request
  const isSignedForCall = `${headers['webhook-id']} `.startsWith(`${method} ${url} `)
  if (!isSignedForCall || !isSigned(secrets, headers, body))
    throw new Refusal(
      401,
      'INVALID_SIGNATURE',
      'The signature is missing, invalid, too old or belongs to a different call.',
    )
  if (headers['connector-version'] !== CONNECTOR_VERSION)
    throw new Refusal(400, 'UNSUPPORTED_VERSION', `This connector supports version ${CONNECTOR_VERSION}.`)
  const { pathname, searchParams: query } = new URL(url, 'http://bank')
  const route = ROUTES.find((candidate) => candidate.method === method && candidate.path.test(pathname))
  if (!route) throw new Refusal(404, 'NOT_FOUND', 'No endpoint matches this path.')
  const name = decodePart(route.path.exec(pathname)?.[1] ?? '')
  return route.handle({ bank, request, name, query, body })
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Refusal(400, 'INVALID_INPUT', 'The path is malformed.')
  }
}

/**
 * Reads and validates the body of a call. If the call creates an object, its signature and key must contain
 * the id in the body.
 */
function readRequest<T extends TSchema>({ body, request }: Call, schema: T, isCreation: boolean): Static<T> {
  const { value, fault } = readBody(schema, parseObject(body))
  if (fault !== undefined) throw new Refusal(400, 'INVALID_INPUT', fault)
  if (!isCreation) return value
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
  if (request.headers['webhook-id'] !== `POST ${request.url} ${id}`)
    throw new Refusal(401, 'INVALID_SIGNATURE', 'The signature belongs to a different id.')
  if (request.headers['idempotency-key'] !== id)
    throw new Refusal(400, 'INVALID_INPUT', 'Idempotency-Key must equal the id.')
  return value
}

function checkAmount({ value }: ConnectorMoney): void {
  if (!parseDigits(value)) throw new Refusal(400, 'INVALID_INPUT', 'amount.value is out of range.')
}

const CONFLICT = new Refusal(409, 'IDEMPOTENCY_CONFLICT', 'This id was used with a different body.')

async function createOrder(
  call: Call,
  direction: Direction,
  schema: typeof PaymentRequest | typeof PullRequest,
): Promise<HttpResponse> {
  const request = readRequest(call, schema, true)
  checkAmount(request.amount)
  const order = call.bank.placeOrder(direction, request)
  if (!order) throw CONFLICT
  if (isEventFirst(request)) await call.bank.waitForLastEvent(order)
  return respondAboutOrder(call, direction, order)
}

/**
 * Returns the response about an order. While `mixAnswers` is set, returns one about a different order instead.
 */
function respondAboutOrder({ bank }: Call, direction: Direction, order: Order): HttpResponse {
  const others = bank.behaviour.mixAnswers > 0 ? [...bank.books.orders[direction].values()] : []
  const other = others.find(({ status }) => status !== order.status) ?? others[0]
  if (!other || other === order) return ok(toConnectorPayment(order))
  bank.behaviour.mixAnswers -= 1
  return ok(toConnectorPayment(other))
}

function findOrder({ bank, name }: Call, direction: Direction): Order {
  const found = bank.books.orders[direction].get(name)
  if (found) return found
  const code = direction === 'payment' ? 'PAYMENT_NOT_FOUND' : 'PULL_NOT_FOUND'
  throw new Refusal(404, code, `${direction === 'payment' ? 'Payment' : 'Pull'} not found.`)
}

function cancelPayment(call: Call): HttpResponse {
  parseObject(call.body)
  const order = findOrder(call, 'payment')
  // If it is too late to cancel, the response has the actual status.
  call.bank.moveOrder(order, 'CANCELLED')
  return ok(toConnectorPayment(order))
}

function openDepositAccount(call: Call): HttpResponse {
  const request = readRequest(call, DepositAccountRequest, true)
  if (!CURRENCIES.some((supported) => supported === request.currency))
    throw new Refusal(400, 'INVALID_INPUT', `This bank has no accounts in ${request.currency}.`)
  const answer = call.bank.openAccount(request)
  if (!answer) throw CONFLICT
  return ok(answer)
}

function checkAccount(call: Call): HttpResponse {
  return ok(call.bank.checkName(readRequest(call, AccountCheckRequest, false)))
}

function readBalance({ bank }: Call): HttpResponse {
  const balances = [...bank.books.balances].map(([currency, amount]) => ({
    value: String(amount),
    currency,
    decimals: 2,
  }))
  return ok({ balances, asOf: new Date().toISOString() })
}

function readStatement({ bank, name, query }: Call): HttpResponse {
  const found = bank.books.statements.get(`${name}/${query.get('currency')}`)
  if (!found) throw new Refusal(404, 'STATEMENT_NOT_FOUND', 'The day has not been closed.')
  return ok(found)
}
