import { randomBytes, randomUUID } from 'node:crypto'
import { Balances, ConnectorPayment } from '@countersign/contract/connectors/protocol'
import {
  amountOf,
  bodyOf,
  type Context,
  creating,
  isRefused,
  movesBalance,
  newPayment,
  partyFor,
  waitForStatus,
} from '../kit/context.ts'
import { type Group, holds, NotChecked } from '../kit/report.ts'
import type { WireCall } from '../kit/wire.ts'

export const SIGNATURES: Group<Context> = {
  name: 'Signatures and versions',
  checks: [
    {
      name: 'a call without a signature is refused with 401',
      run: (context) => checkRefusals(context, UNSIGNED),
    },
    {
      name: 'a signature by another secret is refused with 401',
      run: (context) => checkRefusals(context, BY_ANOTHER),
    },
    { name: 'a changed body is refused with 401', run: checkChangedBody },
    {
      name: 'a signature that is older or newer than five minutes is refused with 401',
      run: (context) => checkRefusals(context, OUT_OF_TIME),
    },
    { name: 'a signature is valid only for its own method, path and id', run: ofAnotherCall },
    { name: 'one good signature among several is enough', run: severalSignatures },
    { name: 'the second secret is accepted while secrets are changed', run: secondSecret },
    { name: 'another version is refused with 4xx', run: otherVersions },
  ],
}

export const HOSTILE: Group<Context> = {
  name: 'Invalid bodies',
  checks: [
    { name: 'a malformed body is refused with 4xx, a code and a message', run: checkMalformedCalls },
    { name: 'invalid amounts are refused with 4xx', run: badAmounts },
    { name: 'a key that is not the id is refused with 4xx', run: otherKey },
    { name: 'a body that is too large is refused, and the connector keeps running', run: tooLarge },
    { name: 'addresses that do not exist are refused with 4xx', run: strangeAddresses },
  ],
}

const OUT_OF_TIME: Changes = () => ({
  'ten minutes old': { signedAt: new Date(Date.now() - 600_000) },
  'from the future': { signedAt: new Date(Date.now() + 600_000) },
})

const UNSIGNED: Changes = () => ({
  'no signature': { headers: { 'webhook-signature': undefined } },
  'no id': { headers: { 'webhook-id': undefined } },
  'no time': { headers: { 'webhook-timestamp': undefined } },
  'an empty signature': { headers: { 'webhook-signature': '' } },
  'a signature of no known kind': { headers: { 'webhook-signature': 'v9,AAAA' } },
})

const BY_ANOTHER: Changes = () => ({
  'a signature by another secret': { secrets: [`whsec_${randomBytes(32).toString('base64')}`] },
})

type Changes = () => Readonly<Record<string, Partial<WireCall>>>

/**
 * Alters a valid call in each of these ways. Each altered call must return 401, also for GET, and nothing may
 * be paid.
 */
async function checkRefusals(context: Context, changes: Changes): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [] }, async () => {
    for (const [what, change] of Object.entries(changes()))
      for (const call of [creating(payment), { method: 'GET', path: '/balance' } as const])
        isRefused(
          await context.wire.call({ ...call, ...change }),
          [401],
          `${call.method} ${call.path} with ${what}`,
        )
    await isUnknown(context, payment.id)
  })
}

async function isUnknown({ wire }: Context, id: string): Promise<void> {
  const reply = await wire.call({ method: 'GET', path: `/payments/${id}` })
  holds(reply.status === 404, `the refused payment exists: GET returned ${reply.status}`)
}

async function checkChangedBody(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [] }, async () => {
    const signed = JSON.stringify({ ...payment, reference: 'KIT-before' })
    const reply = await context.wire.call({ ...creating(payment), signedBody: signed })
    isRefused(reply, [401], 'a body that was changed after it was signed')
    await isUnknown(context, payment.id)
  })
}

async function ofAnotherCall(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  const other = `Transaction:${randomUUID()}`
  await movesBalance(context, { [payment.id]: [] }, async () => {
    const calls: readonly WireCall[] = [
      { method: 'GET', path: '/balance', signingId: `GET /payments/${other}` },
      { method: 'GET', path: '/balance', signingId: 'GET /balances' },
      { method: 'GET', path: '/balance', signingId: 'POST /balance' },
      { ...creating(payment), signingId: `POST /payments ${other}` },
      { ...creating(payment), signingId: `POST /pulls ${payment.id}` },
      { ...creating(payment), signingId: `GET /payments ${payment.id}` },
    ]
    for (const call of calls)
      isRefused(
        await context.wire.call(call),
        [401],
        `${call.method} ${call.path} signed as "${call.signingId}"`,
      )
    await isUnknown(context, payment.id)
  })
}

async function severalSignatures(context: Context): Promise<void> {
  const secrets = [`whsec_${randomBytes(32).toString('base64')}`, context.secrets[0]!]
  const reply = await context.wire.call({ method: 'GET', path: '/balance', secrets })
  bodyOf(reply, Balances, 'a call with two signatures, one of them good')
}

async function secondSecret(context: Context): Promise<void> {
  const [, second] = context.secrets
  if (second === undefined)
    throw new NotChecked('the variable has one secret; give two, with a space between')
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    const reply = await context.wire.call({ ...creating(payment), secrets: [second] })
    bodyOf(reply, ConnectorPayment, 'a payment that is signed by the second secret')
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

const CLIENT_ERRORS = [400, 404, 405, 409, 413, 415, 422]

async function otherVersions(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [] }, async () => {
    for (const version of ['2', '0', 'x', undefined]) {
      const call = { ...creating(payment), headers: { 'connector-version': version } }
      isRefused(await context.wire.call(call), CLIENT_ERRORS, `Connector-Version: ${version}`)
    }
    await isUnknown(context, payment.id)
  })
}

async function checkMalformedCalls(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  const omitField = (member: string) => JSON.stringify({ ...payment, [member]: undefined })
  const bodies: Readonly<Record<string, string | Buffer>> = {
    'no JSON': '{"id": ',
    'no body': '',
    'a list': '[]',
    null: 'null',
    'a text': '"payment"',
    'an empty text': Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    'no amount': omitField('amount'),
    'no beneficiary': omitField('beneficiary'),
    'no id': omitField('id'),
    'a beneficiary without account': JSON.stringify({
      ...payment,
      beneficiary: { accountType: payment.beneficiary!.accountType },
    }),
    'a deep nesting': `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    'a beneficiary and a deposit to return': JSON.stringify({ ...payment, returnOf: { depositId: 'x' } }),
  }
  await nothingFrom(context, payment.id, bodies, creating(payment))
}

async function badAmounts(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  const amounts = ['-1', '0', '12.50', '1e3', '', '99999999999999999999', 'NaN', ' 5', 100, null]
  const bodies = Object.fromEntries(
    amounts.map((value) => [
      `the amount ${JSON.stringify(value)}`,
      JSON.stringify({ ...payment, amount: { ...payment.amount, value } }),
    ]),
  )
  await nothingFrom(context, payment.id, bodies, creating(payment))
}

async function nothingFrom(
  context: Context,
  id: string,
  bodies: Readonly<Record<string, string | Buffer>>,
  call: WireCall,
): Promise<void> {
  await movesBalance(context, { [id]: [] }, async () => {
    for (const [what, raw] of Object.entries(bodies))
      isRefused(await context.wire.call({ ...call, raw }), [...CLIENT_ERRORS, 401], what)
    await isUnknown(context, id)
  })
}

async function otherKey(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [] }, async () => {
    for (const key of [`Transaction:${randomUUID()}`, undefined]) {
      const call = { ...creating(payment), headers: { 'idempotency-key': key } }
      isRefused(await context.wire.call(call), CLIENT_ERRORS, `Idempotency-Key: ${key}`)
    }
    await isUnknown(context, payment.id)
  })
}

async function tooLarge(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [] }, async () => {
    const raw = JSON.stringify({ ...payment, remittanceInformation: 'x'.repeat(2 * 1024 * 1024) })
    // Closing the connection while the request is still being sent also counts as a refusal.
    const reply = await context.wire.call({ ...creating(payment), raw }).catch(() => undefined)
    if (reply)
      holds(CLIENT_ERRORS.includes(reply.status), `the response to two mebibytes was ${reply.status}`)
    await isUnknown(context, payment.id)
  })
}

async function strangeAddresses({ wire }: Context): Promise<void> {
  for (const path of [
    '/nothing',
    '/payments/',
    '/payments/%E0%A4%A',
    '/statements/yesterday?currency=EUR',
    '/pulls',
  ]) {
    const { status } = await wire.call({ method: 'GET', path })
    holds(status >= 400 && status < 500, `GET ${path} returned ${status}`)
  }
}
