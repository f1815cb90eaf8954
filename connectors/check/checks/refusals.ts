import { randomBytes, randomUUID } from 'node:crypto'
import { Balances, ConnectorPayment } from '@countersign/contract/connectors/protocol'
import {
  buildPayment,
  type Context,
  expectBalanceChange,
  expectBody,
  expectRefusal,
  getAmount,
  getParty,
  toCreateCall,
  waitForStatus,
} from '../kit/context.ts'
import { assert, CheckSkipped, type Group } from '../kit/report.ts'
import type { WireCall } from '../kit/wire.ts'

export const SIGNATURES: Group<Context> = {
  name: 'Signatures and versions',
  checks: [
    {
      name: 'a call without a signature is refused with 401',
      run: (context) => checkAlteredCalls(context, UNSIGNED),
    },
    {
      name: 'a signature with a different secret is refused with 401',
      run: (context) => checkAlteredCalls(context, WRONG_SECRET),
    },
    { name: 'a changed body is refused with 401', run: checkChangedBody },
    {
      name: 'a signature that is older or newer than five minutes is refused with 401',
      run: (context) => checkAlteredCalls(context, WRONG_TIMES),
    },
    { name: 'a signature is valid only for its own method, path and id', run: checkSignatureScope },
    { name: 'one valid signature among several is enough', run: checkSeveralSignatures },
    { name: 'the second secret is accepted during a rotation', run: checkSecondSecret },
    { name: 'an unsupported version is refused with 4xx', run: checkOtherVersions },
  ],
}

export const INVALID_BODIES: Group<Context> = {
  name: 'Invalid bodies',
  checks: [
    { name: 'a malformed body is refused with 4xx, a code and a message', run: checkMalformedCalls },
    { name: 'invalid amounts are refused with 4xx', run: checkInvalidAmounts },
    { name: 'a key that differs from the id is refused with 4xx', run: checkMismatchedKey },
    { name: 'a body that is too large is refused, and the connector keeps running', run: checkLargeBody },
    { name: 'unknown paths are refused with 4xx', run: checkUnknownPaths },
  ],
}

const WRONG_TIMES: Changes = () => ({
  'ten minutes old': { signedAt: new Date(Date.now() - 600_000) },
  'from the future': { signedAt: new Date(Date.now() + 600_000) },
})

const UNSIGNED: Changes = () => ({
  'no signature': { headers: { 'webhook-signature': undefined } },
  'no id': { headers: { 'webhook-id': undefined } },
  'no timestamp': { headers: { 'webhook-timestamp': undefined } },
  'an empty signature': { headers: { 'webhook-signature': '' } },
  'a signature with an unknown scheme': { headers: { 'webhook-signature': 'v9,AAAA' } },
})

const WRONG_SECRET: Changes = () => ({
  'a signature with a different secret': { secrets: [`whsec_${randomBytes(32).toString('base64')}`] },
})

type Changes = () => Readonly<Record<string, Partial<WireCall>>>

/**
 * Alters a valid call in each of these ways. Every altered call, including GET, must return 401 and pay
 * nothing.
 */
async function checkAlteredCalls(context: Context, changes: Changes): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [] }, async () => {
    for (const [description, change] of Object.entries(changes()))
      for (const call of [toCreateCall(payment), { method: 'GET', path: '/balance' } as const])
        expectRefusal(
          await context.wire.call({ ...call, ...change }),
          [401],
          `${call.method} ${call.path} with ${description}`,
        )
    await expectUnknownPayment(context, payment.id)
  })
}

async function expectUnknownPayment({ wire }: Context, id: string): Promise<void> {
  const reply = await wire.call({ method: 'GET', path: `/payments/${id}` })
  assert(reply.status === 404, `the refused payment exists: GET returned ${reply.status}`)
}

async function checkChangedBody(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [] }, async () => {
    const signed = JSON.stringify({ ...payment, reference: 'KIT-before' })
    const reply = await context.wire.call({ ...toCreateCall(payment), signedBody: signed })
    expectRefusal(reply, [401], 'a body that was changed after it was signed')
    await expectUnknownPayment(context, payment.id)
  })
}

async function checkSignatureScope(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  const otherId = `Transaction:${randomUUID()}`
  await expectBalanceChange(context, { [payment.id]: [] }, async () => {
    const calls: readonly WireCall[] = [
      { method: 'GET', path: '/balance', signingId: `GET /payments/${otherId}` },
      { method: 'GET', path: '/balance', signingId: 'GET /balances' },
      { method: 'GET', path: '/balance', signingId: 'POST /balance' },
      { ...toCreateCall(payment), signingId: `POST /payments ${otherId}` },
      { ...toCreateCall(payment), signingId: `POST /pulls ${payment.id}` },
      { ...toCreateCall(payment), signingId: `GET /payments ${payment.id}` },
    ]
    for (const call of calls)
      expectRefusal(
        await context.wire.call(call),
        [401],
        `${call.method} ${call.path} signed as "${call.signingId}"`,
      )
    await expectUnknownPayment(context, payment.id)
  })
}

async function checkSeveralSignatures(context: Context): Promise<void> {
  const secrets = [`whsec_${randomBytes(32).toString('base64')}`, context.secrets[0]!]
  const reply = await context.wire.call({ method: 'GET', path: '/balance', secrets })
  expectBody(reply, Balances, 'a call with two signatures, one of them valid')
}

async function checkSecondSecret(context: Context): Promise<void> {
  const [, second] = context.secrets
  if (second === undefined)
    throw new CheckSkipped('the variable has one secret; set two, separated by a space')
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    const reply = await context.wire.call({ ...toCreateCall(payment), secrets: [second] })
    expectBody(reply, ConnectorPayment, 'a payment signed with the second secret')
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

const CLIENT_ERRORS = [400, 404, 405, 409, 413, 415, 422]

async function checkOtherVersions(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [] }, async () => {
    for (const version of ['2', '0', 'x', undefined]) {
      const call = { ...toCreateCall(payment), headers: { 'connector-version': version } }
      expectRefusal(await context.wire.call(call), CLIENT_ERRORS, `Connector-Version: ${version}`)
    }
    await expectUnknownPayment(context, payment.id)
  })
}

async function checkMalformedCalls(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  const omitField = (field: string) => JSON.stringify({ ...payment, [field]: undefined })
  const bodies: Readonly<Record<string, string | Buffer>> = {
    'invalid JSON': '{"id": ',
    'no body': '',
    'a list': '[]',
    null: 'null',
    'a string': '"payment"',
    'invalid UTF-8': Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    'no amount': omitField('amount'),
    'no beneficiary': omitField('beneficiary'),
    'no id': omitField('id'),
    'a beneficiary without an account': JSON.stringify({
      ...payment,
      beneficiary: { accountType: payment.beneficiary!.accountType },
    }),
    'deeply nested arrays': `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    'a beneficiary and a deposit to return': JSON.stringify({ ...payment, returnOf: { depositId: 'x' } }),
  }
  await expectRefusals(context, payment.id, bodies, toCreateCall(payment))
}

async function checkInvalidAmounts(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  const amounts = ['-1', '0', '12.50', '1e3', '', '99999999999999999999', 'NaN', ' 5', 100, null]
  const bodies = Object.fromEntries(
    amounts.map((value) => [
      `the amount ${JSON.stringify(value)}`,
      JSON.stringify({ ...payment, amount: { ...payment.amount, value } }),
    ]),
  )
  await expectRefusals(context, payment.id, bodies, toCreateCall(payment))
}

async function expectRefusals(
  context: Context,
  id: string,
  bodies: Readonly<Record<string, string | Buffer>>,
  call: WireCall,
): Promise<void> {
  await expectBalanceChange(context, { [id]: [] }, async () => {
    for (const [description, raw] of Object.entries(bodies))
      expectRefusal(await context.wire.call({ ...call, raw }), [...CLIENT_ERRORS, 401], description)
    await expectUnknownPayment(context, id)
  })
}

async function checkMismatchedKey(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [] }, async () => {
    for (const key of [`Transaction:${randomUUID()}`, undefined]) {
      const call = { ...toCreateCall(payment), headers: { 'idempotency-key': key } }
      expectRefusal(await context.wire.call(call), CLIENT_ERRORS, `Idempotency-Key: ${key}`)
    }
    await expectUnknownPayment(context, payment.id)
  })
}

async function checkLargeBody(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [] }, async () => {
    const raw = JSON.stringify({ ...payment, remittanceInformation: 'x'.repeat(2 * 1024 * 1024) })
    // Closing the connection while the request is still being sent also counts as a refusal.
    const reply = await context.wire.call({ ...toCreateCall(payment), raw }).catch(() => undefined)
    if (reply)
      assert(CLIENT_ERRORS.includes(reply.status), `a body of two mebibytes returned ${reply.status}`)
    await expectUnknownPayment(context, payment.id)
  })
}

async function checkUnknownPaths({ wire }: Context): Promise<void> {
  for (const path of [
    '/nothing',
    '/payments/',
    '/payments/%E0%A4%A',
    '/statements/yesterday?currency=EUR',
    '/pulls',
  ]) {
    const { status } = await wire.call({ method: 'GET', path })
    assert(status >= 400 && status < 500, `GET ${path} returned ${status}`)
  }
}
