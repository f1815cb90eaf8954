import type { TSchema } from 'typebox'
import { Address } from '../accounts/address.ts'
import * as holders from '../accounts/beneficiaries.ts'
import * as accounts from '../connectors/accounts.ts'
import { CONNECTOR_CALLS, type ConnectorCall } from '../connectors/calls.ts'
import * as events from '../connectors/events.ts'
import * as protocol from '../connectors/protocol.ts'
import { references } from './references.ts'

type Json = Record<string, unknown>

const NAMED: readonly (readonly [string, TSchema])[] = Object.entries<TSchema>({
  Money: protocol.ConnectorMoney,
  SignedMoney: protocol.ConnectorBalance,
  Failure: protocol.ConnectorFailure,
  Payment: protocol.ConnectorPayment,
  PaymentRequest: protocol.PaymentRequest,
  PullRequest: protocol.PullRequest,
  CancelRequest: protocol.CancelRequest,
  Address,
  BusinessBeneficiary: holders.BusinessBeneficiary,
  IndividualBeneficiary: holders.IndividualBeneficiary,
  IndividualBeneficiaryWithAddress: holders.IndividualBeneficiaryWithAddress,
  IndividualBeneficiaryWithDocument: holders.IndividualBeneficiaryWithDocument,
  IndividualBeneficiaryWithPhoneAndAddress: holders.IndividualBeneficiaryWithPhoneAndAddress,
  IndividualBeneficiaryWithPhoneAndResidence: holders.IndividualBeneficiaryWithPhoneAndResidence,
  IndividualBeneficiaryWithRegistration: holders.IndividualBeneficiaryWithRegistration,
  IndividualBeneficiaryWithResidence: holders.IndividualBeneficiaryWithResidence,
  Account: accounts.ConnectorAccount,
  DepositAccountRequest: protocol.DepositAccountRequest,
  DepositAccount: protocol.DepositAccount,
  AccountCheckRequest: protocol.AccountCheckRequest,
  AccountCheck: protocol.AccountCheck,
  Balances: protocol.Balances,
  Error: protocol.ConnectorError,
  PaymentProgress: events.PaymentProgress,
  PaymentSetback: events.PaymentSetback,
  ReceivedDeposit: events.ReceivedDeposit,
  ReversedDeposit: events.ReversedDeposit,
  StatementEntry: events.StatementEntry,
  Statement: events.ConnectorStatement,
  ...events.EVENT_MEMBERS,
  Event: events.ConnectorEvent,
  EventReceived: events.EventReceived,
})

const { refer, components } = references(NAMED)

/** Schemas in which `accountType` determines the fields of `account`. */
const WITH_ACCOUNTS = {
  Account: accounts.CONNECTOR_ACCOUNT_MEMBERS,
  AccountCheckRequest: accounts.CONNECTOR_ACCOUNT_MEMBERS,
  DepositAccount: accounts.CONNECTOR_DEPOSIT_MEMBERS,
} as const

const VERSION = {
  name: 'Connector-Version',
  in: 'header',
  required: true,
  schema: { type: 'string', enum: [protocol.CONNECTOR_VERSION] },
}

const SIGNATURE = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    schema: { type: 'string' },
    description:
      'For a call: the method, the path with the query as sent, and the id if a POST creates a record: ' +
      '`POST /payments Transaction:…`. For an event: the same, with the name of the rail: `POST ' +
      '/rail-events/my-bank evt-7f3a`.',
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]{1,12}$' },
    description: 'Seconds since 1970, at most five minutes from the receiver’s clock.',
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    schema: { type: 'string' },
    description:
      '`v1,` and the signature in base64; several, separated by spaces, while a secret is being replaced.',
  },
]

const HEADERS: Readonly<Record<string, Json>> = Object.fromEntries(
  [VERSION, ...SIGNATURE].map((header) => [header.name, header]),
)

/**
 * Builds the OpenAPI 3.1 document of the connector protocol: the calls that a connector serves, and the
 * events that it sends, as webhooks. Pure.
 */
export function buildConnectorOpenApi(): Json {
  const paths: Record<string, Json> = {}
  for (const [name, call] of Object.entries<ConnectorCall>(CONNECTOR_CALLS))
    paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operation(name, call) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign connector',
      version: protocol.CONNECTOR_VERSION,
      description:
        'The calls that a connector serves to Countersign, and the webhooks that it sends. docs/connectors/README.md explains each ' +
        'part. Receivers ignore fields that are not described.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:9100', description: 'The example bank' }],
    paths,
    webhooks: { event: { post: buildEventOperation() } },
    components: {
      schemas: { ...withAccounts(components()), ...accountSchemas() },
      parameters: HEADERS,
    },
  }
}

function operation(name: string, call: ConnectorCall): Json {
  const { summary, description, body, response } = call
  return {
    operationId: name,
    summary,
    description,
    parameters: buildParameters(call),
    ...(body ? { requestBody: { required: true, content: jsonContent(body) } } : {}),
    responses: {
      200: { description: summary, content: jsonContent(response) },
      400: buildErrorResponse('The body, a header or the version does not follow the protocol.'),
      401: buildErrorResponse('The signature is missing, wrong, too old, or belongs to another request.'),
      ...buildNotFoundResponse(call),
      ...(call.creates
        ? { 409: buildErrorResponse('`IDEMPOTENCY_CONFLICT`: this id was used with another body.') }
        : {}),
      '5XX': buildErrorResponse('The result is unknown; Countersign polls or retries later.'),
    },
  }
}

function buildNotFoundResponse({ notFound }: ConnectorCall): Json {
  return notFound ? { 404: buildErrorResponse(`\`${notFound.code}\`: ${notFound.means}.`) } : {}
}

function buildParameters({ params = {}, query = {}, creates }: ConnectorCall): Json[] {
  const fields = (place: 'path' | 'query', entries: Readonly<Record<string, string>>) =>
    Object.entries(entries).map(([name, description]) => ({
      name,
      in: place,
      required: true,
      description,
      schema: { type: 'string' },
    }))
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    schema: { type: 'string' },
    description: 'The id in the body.',
  }
  return [...headers(), ...fields('path', params), ...fields('query', query), ...(creates ? [key] : [])]
}

function headers(): Json[] {
  return Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function buildEventOperation(): Json {
  return {
    operationId: 'event',
    summary: 'Something happened at the bank',
    description:
      'Sent to `POST {address of the server}/rail-events/{rail}`, and retried with the same id until the response is 2xx. Events may arrive in any order.',
    parameters: headers(),
    requestBody: { required: true, content: jsonContent(events.ConnectorEvent) },
    responses: {
      200: { description: 'Stored; do not send it again', content: jsonContent(events.EventReceived) },
      400: { description: 'Not an event of the protocol. Do not retry it unchanged.' },
      401: { description: 'The signature is missing, wrong or too old.' },
      404: { description: 'Rail not found.' },
      '5XX': { description: 'Send it again later.' },
    },
  }
}

function buildErrorResponse(description: string): Json {
  return { description, content: jsonContent(protocol.ConnectorError) }
}

function jsonContent(schema: TSchema): Json {
  return { 'application/json': { schema: refer(schema) } }
}

/** Converts `EUR_ACCOUNT` to `EurAccount`. */
function toPascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')
}

function getSuffix(kind: keyof typeof WITH_ACCOUNTS): string {
  return kind === 'DepositAccount' ? 'ToPayInto' : 'ToPay'
}

/** Ties `account` to the fields of its type, which in the schemas themselves is left to `readBody`. */
function withAccounts(schemas: Json): Json {
  const result = { ...schemas }
  for (const kind of ['Account', 'AccountCheckRequest', 'DepositAccount'] as const) {
    const oneOf = [...WITH_ACCOUNTS[kind].keys()].map((name) => ({
      properties: {
        accountType: { enum: [name] },
        account: { $ref: `#/components/schemas/${toPascalCase(name)}${getSuffix(kind)}` },
      },
    }))
    result[kind] = { ...(result[kind] as Json), oneOf }
  }
  return result
}

function accountSchemas(): Json {
  return Object.fromEntries(
    (['Account', 'DepositAccount'] as const).flatMap((kind) =>
      [...WITH_ACCOUNTS[kind]].map(([name, schema]) => [
        `${toPascalCase(name)}${getSuffix(kind)}`,
        refer(schema),
      ]),
    ),
  )
}
