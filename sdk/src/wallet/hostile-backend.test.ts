import { toJson } from '@countersign/server/base/json/json'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Caller } from '../client/calls.ts'
import { nounsOf } from '../nouns/nouns.ts'
import { CheckedPayload } from '../signing/checked-payload.ts'
import { ConfirmationRequiredError, NotConfirmedError } from '../signing/confirm.ts'
import { onlyQuote } from '../signing/only-quote.ts'
import { PayloadMismatchError } from '../signing/payload-mismatch.ts'
import { signedCall } from '../signing/signed-call.ts'
import { signed } from '../signing/signed-retry.ts'
import type { Payment } from '../signing/statement.ts'
import { DeviceKey } from './device-key.ts'
import {
  ACCOUNT,
  backend,
  hashCanonical,
  inMinutes,
  issue,
  PAYEE,
  PAYMENT,
  QUOTE,
  type Sent,
} from './hostile-backend.testing.ts'
import { Session } from './session.ts'
import { Wallet } from './wallet.ts'

interface World {
  readonly caller: Caller
  readonly session: Session
  readonly wallet: Wallet
}

const ACTION = { id: 'AgentAction:a', agentId: 'Agent:a' }
const authenticator = {
  create: async () => ({
    id: 'passkey',
    response: { clientDataJSON: 'e30', attestationObject: 'oA', transports: ['internal'] },
  }),
  get: async () => {
    throw new Error('No passkey is expected here')
  },
}

/**
 * Everything that the SDK signs by the signed retry. Sign-ins have their own proofs in a separate test file.
 */
const SIGNED: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'session.refresh': ({ session }) => session.refresh(),
  'session.revoke': ({ session }) => session.revoke(),
  'wallet.revokeSession': ({ wallet, session }) => wallet.revokeSession('Session:o', session),
  'wallet.revokeCredential': ({ wallet, session }) => wallet.revokeCredential('AuthMethod:c', session),
  'wallet.export': ({ wallet, session }) => wallet.export(session),
  'wallet.email.register': ({ wallet, session }) => wallet.email.register({ session }),
  'wallet.sms.register': ({ wallet, session }) =>
    wallet.sms.register({ phoneNumber: '+14155552671', session }),
  'wallet.passkey.register': ({ wallet, session }) =>
    wallet.passkey.register({ nickname: 'Phone', challenge: 'once', session }),
  'wallet.oauth.register': ({ wallet, session }) =>
    wallet.oauth.register({ oidcToken: async () => 'a.b.c', session }),
  'cards.update state': ({ caller, session }) =>
    nounsOf(caller).cards.update('Card:c', { state: 'FROZEN' }, { signer: session }),
  'cards.update fundingSources': ({ caller, session }) =>
    nounsOf(caller).cards.update('Card:c', { fundingSources: [ACCOUNT] }, { signer: session }),
  'delegatedKeys.create': ({ caller, session }) =>
    nounsOf(caller).delegatedKeys.create(
      { cardId: 'Card:c', internalAccountId: ACCOUNT, nickname: 'Coffee' },
      { signer: session },
    ),
  'agents.approve': ({ caller, session }) =>
    nounsOf(caller).agents.approve(ACTION.agentId, ACTION.id, { signer: onlyQuote(QUOTE, session) }),
  'signed quote_execute': ({ caller, session }) =>
    signed(caller, 'quote_execute', { params: { quoteId: QUOTE } }, session),
  'signed customer_update': ({ caller, session }) =>
    signed(
      caller,
      'customer_update',
      {
        params: { customerId: 'Customer:c' },
        body: { customerType: 'INDIVIDUAL', email: 'new@example.com' },
      },
      session,
    ),
  'signed internal_account_update': ({ caller, session }) =>
    signed(
      caller,
      'internal_account_update',
      { params: { id: ACCOUNT }, body: { privateEnabled: true } },
      session,
    ),
}

const change =
  (members: object) =>
  (sent: Sent): Sent => ({ ...sent, payload: { ...sent.payload, ...members } })
const spell =
  (text: (issueHonest: string) => string) =>
  (sent: Sent): Sent => ({ ...sent, text: text(toJson(sent.payload)) })

/** A payment of the whole balance to an attacker, which the server issued as validly as any other. */
const OTHER_PAYMENT: Sent['payload'] = {
  ...issue('quote_execute', {}).payload,
  quote: 'Quote:evil',
  target: 'POST /quotes/Quote:evil/execute',
}

/** Changes that a backend can make to a payload, and the field that reveals each. */
const TAMPERED: Readonly<Record<string, readonly [tamper: (sent: Sent) => Sent, member: RegExp]>> = {
  'the payload of a quote': [
    (sent) =>
      change({ ...OTHER_PAYMENT, requestId: sent.requestId, expiresAt: sent.expiresAt })({
        ...sent,
        payload: {},
      }),
    /^(?:operation|target|quote)$/,
  ],
  'another operation': [change({ operation: 'session_forget' }), /^operation$/],
  'another target': [
    ({ payload, ...sent }) =>
      change({ target: `${payload.target}2`, quote: 'Quote:q/execute2' })({ ...sent, payload }),
    /^(?:target|quote)$/,
  ],
  'another account': [change({ account: 'InternalAccount:b' }), /^account$/],
  'another body': [change({ bodySha256: hashCanonical({ privateEnabled: 1 }) }), /^bodySha256$/],
  'another request': [change({ requestId: 'Request:other' }), /^requestId$/],
  'another request in the response': [(sent) => ({ ...sent, requestId: 'Request:other' }), /^requestId$/],
  'another expiry': [change({ expiresAt: inMinutes(6) }), /^expiresAt$/],
  'an expiry in the past': [
    (sent) => change({ expiresAt: inMinutes(-1) })({ ...sent, expiresAt: inMinutes(-1) }),
    /^expiresAt$/,
  ],
  'an unknown member': [change({ alsoPays: 'Quote:evil' }), /^alsoPays$/],
  'a missing member': [
    ({ payload: { summary, ...payload }, ...sent }) => ({ ...sent, payload }),
    /^summary$/,
  ],
  'a member twice': [
    spell((issueHonest) => `{"summary":"Nothing to see",${issueHonest.slice(1)}`),
    /^payloadToSign$/,
  ],
  'space in it': [spell((issueHonest) => issueHonest.replace('":', '": ')), /^payloadToSign$/],
  'letters escaped': [spell((issueHonest) => issueHonest.replace('"Do ', '"\\u0044o ')), /^payloadToSign$/],
  'the token of a sign-in': [spell(() => 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln'), /^payloadToSign$/],
}

/** Counts signatures at the one place where Web Crypto makes them. */
const signatures = vi.spyOn(crypto.subtle, 'sign')
afterEach(() => signatures.mockClear())

async function makeWorld(tamper: (sent: Sent) => Sent, confirm?: (payment: Payment) => boolean) {
  const { caller, signed } = backend(tamper)
  const key = await DeviceKey.generate()
  const session = Session.ofDeviceKey(
    caller,
    { id: 'Session:s', accountId: ACCOUNT, expiresAt: inMinutes(15) },
    key,
    confirm ?? (() => true),
  )
  const wallet = new Wallet(caller, ACCOUNT, {
    quorumPublicKey: `04${'11'.repeat(64)}`,
    authenticator: authenticator as never,
    relyingParty: { id: 'localhost', name: 'Wallet' },
  })
  return { caller, session, wallet, signed }
}

describe.each(Object.entries(SIGNED))('%s', (_, run) => {
  test('signs the payload of its own call, once', async () => {
    const world = await makeWorld((sent) => sent)
    // The steps after the signature are tested over HTTP.
    await run(world).catch(() => {})
    expect([world.signed.length, signatures.mock.calls.length]).toEqual([1, 1])
  })

  test.each(Object.entries(TAMPERED))('signs nothing when it is given %s', async (_, [tamper, member]) => {
    const world = await makeWorld(tamper)
    const error = await run(world).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(PayloadMismatchError)
    expect((error as PayloadMismatchError).member).toMatch(member)
    expect([world.signed, signatures.mock.calls]).toEqual([[], []])
  })

  test('signs nothing when the key in it is not its own', async () => {
    const clientPublicKey = `04${'22'.repeat(64)}`
    let hasKey = false
    const world = await makeWorld((sent) => {
      hasKey = 'clientPublicKey' in sent.payload
      return hasKey ? change({ clientPublicKey })(sent) : sent
    })
    const outcome = await run(world).catch((error: unknown) => error)
    if (hasKey) expect(outcome).toMatchObject({ name: 'PayloadMismatchError', member: 'clientPublicKey' })
    expect(world.signed).toHaveLength(hasKey ? 0 : 1)
  })
})

describe('a payment', () => {
  const pay = ({ caller, session }: World) =>
    signed(caller, 'quote_execute', { params: { quoteId: QUOTE } }, session)

  test('is shown with all details of the payee before it is signed', async () => {
    const payments: Payment[] = []
    const world = await makeWorld(
      (sent) => sent,
      (payment) => {
        expect(signatures).not.toHaveBeenCalled()
        return payments.push(payment) > 0
      },
    )
    await pay(world)
    expect(payments).toEqual([expect.objectContaining(PAYMENT)])
    expect(world.signed).toEqual(['quote_execute'])
  })

  test('is not signed without `confirm`, nor when the customer declines', async () => {
    const { caller, session, signed } = await makeWorld((sent) => sent)
    const { record } = session
    const unshown = await Session.fromRecord(caller, record)
    const world = { caller, session: unshown, wallet: undefined as never }
    await expect(pay(world)).rejects.toBeInstanceOf(ConfirmationRequiredError)
    const declined = { ...world, session: session.confirmedBy(() => false) }
    await expect(pay(declined)).rejects.toBeInstanceOf(NotConfirmedError)
    // A truthy value other than true does not count: plain JavaScript may give one.
    const vague = { ...world, session: session.confirmedBy((() => 'no') as never) }
    await expect(pay(vague)).rejects.toBeInstanceOf(NotConfirmedError)
    expect([signed, signatures.mock.calls]).toEqual([[], []])
  })

  const expectRefusal = async (destination: object, member: string) =>
    expect(pay(await makeWorld(change({ destination })))).rejects.toMatchObject({ member })

  test('is rejected if its payee has hidden fields or an unknown kind', async () => {
    const { accountInfo } = PAYEE
    await expectRefusal({ ...PAYEE, forFurtherCredit: 'Mallory' }, 'destination.forFurtherCredit')
    await expectRefusal(
      { ...PAYEE, accountInfo: { ...accountInfo, intermediary: 'X' } },
      'destination.accountInfo.intermediary',
    )
    await expectRefusal({ ...PAYEE, accountInfo: { accountType: 'MOON_ACCOUNT' } }, 'destination.accountInfo')
    await expectRefusal({ destinationType: 'ELSEWHERE' }, 'destination')
    expect(signatures).not.toHaveBeenCalled()
  })

  test.each([
    ['a fraction', 2.5],
    ['text', '2500'],
    ['more than 64 bits', 2n ** 63n],
  ])('is refused where an amount is %s', async (_, amount) => {
    const delivers = { amount, currency: 'USD' }
    const world = await makeWorld(change({ delivers }))
    await expect(pay(world)).rejects.toMatchObject({ member: 'delivers.amount' })
    expect(signatures).not.toHaveBeenCalled()
  })

  test('of an agent is shown although its quote is unknown to the device', async () => {
    const payments: string[] = []
    const { caller, session, signed } = await makeWorld(
      () => ({
        ...issue('quote_execute', {}),
        payload: OTHER_PAYMENT,
        expiresAt: String(OTHER_PAYMENT.expiresAt),
      }),
      (payment) => payments.push(payment.quote) === 0,
    )
    await expect(
      nounsOf(caller).agents.approve(ACTION.agentId, ACTION.id, { signer: session }),
    ).rejects.toBeInstanceOf(NotConfirmedError)
    expect([payments, signed]).toEqual([['Quote:evil'], []])
  })
})

describe('the payload in the instructions of a quote', () => {
  const { sends, delivers, feesIncluded } = PAYMENT
  const buildQuote = (sent: Sent) => ({
    id: QUOTE,
    expiresAt: sent.expiresAt,
    totalSendingAmount: sends.amount,
    totalReceivingAmount: delivers.amount,
    feesIncluded,
    paymentInstructions: [
      {
        accountOrWalletInfo: {
          accountType: 'EMBEDDED_WALLET',
          payloadToSign: sent.text ?? toJson(sent.payload),
        },
      },
    ] as never,
  })
  const issueHonest = () => issue('quote_execute', {})

  test('is signed only for its own quote, after it was shown', async () => {
    const { session } = await makeWorld((sent) => sent)
    expect(await session.approveQuote(buildQuote(issueHonest()))).toMatch(/^[\w-]{100,}$/)
    const unshown = session.confirmedBy(() => false)
    await expect(unshown.approveQuote(buildQuote(issueHonest()))).rejects.toBeInstanceOf(NotConfirmedError)
    expect(signatures).toHaveBeenCalledTimes(1)
  })

  test.each([
    ...Object.entries(TAMPERED).filter(([, [, member]]) => !member.test('requestId')),
    [
      'more than the quote says',
      [change({ sends: { ...sends, amount: sends.amount + 1n } }), /^sends.amount$/],
    ],
    ['less to the payee', [change({ delivers: { ...delivers, amount: 1n } }), /^delivers.amount$/]],
    ['other fees', [change({ feesIncluded: 0n }), /^feesIncluded$/]],
  ] as const)('is not signed when it is given %s', async (_, [tamper, member]) => {
    const { session } = await makeWorld((sent) => sent)
    const quote = { ...buildQuote(tamper(issueHonest())), id: QUOTE }
    const error = await session.approveQuote(quote).catch((error: unknown) => error)
    expect((error as PayloadMismatchError).member).toMatch(member)
    expect(signatures).not.toHaveBeenCalled()
  })
})

describe('a device whose backend forwards messages', () => {
  const input = { params: { id: 'Card:c' }, body: { state: 'FROZEN' } } as const
  const call = signedCall('card_update', input)

  test('approves only the call that it requested', async () => {
    const { session } = await makeWorld((sent) => sent)
    const key = await DeviceKey.generate()
    const frozen = toJson(issue('card_update', input).payload)
    expect(await session.approve(frozen, call)).toMatch(/^[\w-]{100,}$/)
    expect(await key.approve(frozen, { ...call, account: ACCOUNT })).toMatch(/^[\w-]{100,}$/)
    signatures.mockClear()
    for (const body of [{ state: 'CLOSED' }, undefined]) {
      const other = toJson(issue('card_update', { ...input, body }).payload)
      await expect(session.approve(other, call)).rejects.toMatchObject({ member: 'bodySha256' })
    }
    await expect(key.approve(frozen, { ...call, account: 'InternalAccount:b' })).rejects.toMatchObject({
      member: 'account',
    })
    expect(signatures).not.toHaveBeenCalled()
  })

  test('also requires confirmation if only the device key signs', async () => {
    const key = await DeviceKey.generate()
    const payload = toJson(issue('quote_execute', {}).payload)
    const expected = { ...signedCall('quote_execute', { params: { quoteId: QUOTE } }), account: ACCOUNT }
    await expect(key.approve(payload, expected)).rejects.toBeInstanceOf(ConfirmationRequiredError)
    await key.approve(payload, expected, ({ destination }) => destination.destinationType === 'ACCOUNT')
    expect(signatures).toHaveBeenCalledTimes(1)
  })

  test('has a session that signs only checked payloads', async () => {
    const { session } = await makeWorld((sent) => sent)
    const text = toJson(issue('card_update', input).payload)
    const imitation = { text, statement: JSON.parse(text) }
    for (const payload of [text, imitation])
      await expect(session.sign(payload as never)).rejects.toBeInstanceOf(TypeError)
    const elsewhere = await CheckedPayload.check(
      toJson({ ...JSON.parse(text), account: 'InternalAccount:b' }),
      { ...call, account: 'InternalAccount:b' },
    )
    await expect(session.sign(elsewhere)).rejects.toMatchObject({ member: 'account' })
    expect(signatures).not.toHaveBeenCalled()
  })
})
