import type { EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import type {
  CardProcessor,
  ProcessorEvent,
  Provision,
  ProvisionedCard,
  ProvisionRequest,
} from '../../../src/kernel/ports/card-processor.ts'
import type {
  VerificationSubmission,
  Verifier,
  VerifierEvent,
  VerifierResult,
} from '../../../src/kernel/ports/verifier.ts'
import type { Reply } from '../client.testing.ts'
import type { Ids, ParamKind } from './bodies.testing.ts'
import { buildMissingId, buildValidBody, findParamKind, forEach, pathWith } from './calls.testing.ts'
import { type JsonSchema, listIdKinds, membersOf, samples, withRaw } from './schemas.testing.ts'

/** A caller whose access to records of other owners is tested. */
interface IsolatedCaller {
  send(endpoint: Endpoint, path: string, body?: unknown): Promise<Reply>
  /** Returns the ids of the caller's records. */
  ids(endpoint: Endpoint): Ids
  /** Lists the ids of this kind that the endpoint must not reveal to the caller. */
  listHiddenIds(endpoint: Endpoint, kind: ParamKind): readonly (string | undefined)[]
}

/** Returns a response with the requested id removed. */
function withoutId(reply: Reply, id: string) {
  return { status: reply.status, body: toJson(reply.body ?? null).replaceAll(id, '<id>') }
}

/**
 * Tests that every position of an id in each endpoint gets the same response for a record of another owner as for a
 * missing record.
 */
export function testForeignIdsAreMissing(
  endpoints: readonly (readonly [EndpointName, Endpoint])[],
  caller: IsolatedCaller,
): void {
  async function expectSameAsMissing(
    what: string,
    endpoint: Endpoint,
    kind: ParamKind,
    sendWith: (id: string) => Promise<Reply>,
  ) {
    const hiddenIds = caller.listHiddenIds(endpoint, kind).filter((id) => id !== undefined)
    if (hiddenIds.length === 0) return
    const missing = await sendWith(buildMissingId(kind))
    for (const id of hiddenIds) {
      const foreign = await sendWith(id)
      expect(withoutId(foreign, id), what).toEqual(withoutId(missing, buildMissingId(kind)))
      expect(foreign.status, what).not.toBe(500)
    }
  }
  const selectOwnId = (endpoint: Endpoint) => (kind: ParamKind) =>
    caller.ids(endpoint)[kind] ?? buildMissingId(kind)

  // Leaves out device codes, because such a code in the path is the credential.
  const withParams = endpoints.filter(([, { params, auth }]) => params && auth !== 'deviceCode')
  test.each(withParams)('in the path of %s', async (name, endpoint) => {
    const selectId = selectOwnId(endpoint)
    for (const param of Object.keys((endpoint.params as unknown as JsonSchema).properties!)) {
      const kind = findParamKind(endpoint, param)
      await expectSameAsMissing(name, endpoint, kind, async (id) => {
        const path = pathWith(endpoint, (other) => (other === kind ? id : selectId(other)))
        const reply = await caller.send(endpoint, path, buildValidBody(name, caller.ids(endpoint)))
        expect(reply.status, `${name} ${toJson(reply.body)}`).toBe(404)
        return reply
      })
    }
  })

  const withQuery = endpoints.filter(([, { query }]) => query)
  test.each(withQuery)('in the query of %s', async (name, endpoint) => {
    const { properties = {} } = endpoint.query as unknown as JsonSchema
    for (const [member, schema] of Object.entries(properties))
      for (const kind of listIdKinds(schema) ?? [])
        await expectSameAsMissing(`${name} ${member}`, endpoint, kind as ParamKind, (id) =>
          caller.send(endpoint, `${pathWith(endpoint, selectOwnId(endpoint))}?${member}=${id}`),
        )
  })

  // A payout batch checks its accounts only after the response: `payout-batches.test.ts` tests that.
  const withBody = endpoints.filter(([name, { body }]) => body && name !== 'payout_batch_create')
  test.each(withBody)('in the body of %s', async (name, endpoint) => {
    const schema = endpoint.body as unknown as JsonSchema
    const tested = new Set<string>()
    for (const sample of [buildValidBody(name, caller.ids(endpoint))!, ...samples(schema)]) {
      const ids = membersOf(schema, sample).flatMap(({ path, schema }) =>
        (listIdKinds(schema) ?? []).map((kind) => ({ path, kind })),
      )
      await forEach(ids, async ({ path, kind }) => {
        const what = `${name} ${path.join('.')} ${kind}`
        if (tested.has(what)) return
        tested.add(what)
        await expectSameAsMissing(what, endpoint, kind as ParamKind, (id) =>
          caller.send(
            endpoint,
            pathWith(endpoint, selectOwnId(endpoint)),
            withRaw(sample, path, JSON.stringify(id)),
          ),
        )
      })
    }
  })
}

/** A card processor under test. */
interface ProcessorUnderTest {
  readonly processor: CardProcessor
  /** Returns an event as the processor sends it, in the form that `readEvent` accepts. */
  send(event: ProcessorEvent): {
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array
  }
  /** A request for a card that becomes active. */
  readonly active: Pick<ProvisionRequest, 'platformCardId'>
  /** A request for a card that is rejected, if the processor supports it. */
  readonly rejected: Pick<ProvisionRequest, 'platformCardId'> | undefined
  /** Advances the processor's own time. */
  wait(until: Date): Promise<void>
}

const REQUESTED_AT = new Date('2030-02-03T04:05:06Z')
const REQUESTS_MAX = 20

const EVENTS: readonly ProcessorEvent[] = [
  {
    kind: 'authorization',
    processorRef: 'card-1',
    token: 'purchase-1',
    amount: 9_007_199_254_740_993n,
    currency: 'USD',
    merchant: { descriptor: 'Café "8½" 東京', mcc: '5814', country: 'JP' },
  },
  {
    kind: 'authorization',
    processorRef: 'card-1',
    token: 'purchase-2',
    amount: 1n,
    currency: 'EUR',
    merchant: { descriptor: 'SHOP' },
    declined: 'CARD_INSUFFICIENT_FUNDS',
  },
  { kind: 'clearing', processorRef: 'card-1', token: 'purchase-1', eventId: 'claim-1', amount: 0n },
  { kind: 'return', processorRef: 'card-1', token: 'purchase-1', eventId: 'return-1', amount: 7n },
]

/** Tests the contract of every card processor (`ports/card-processor.ts`). */
export function describeCardProcessor(name: string, make: () => Promise<ProcessorUnderTest>): void {
  describe(`the card processor ${name}`, () => {
    test('returns the same card for every repeated request, and reveals no card number', async () => {
      const processorUnderTest = await make()
      const request = {
        ...processorUnderTest.active,
        cardId: 'Card:1',
        currency: 'USD',
        requestedAt: REQUESTED_AT,
      }
      const card = await waitForOutcome(processorUnderTest, request)
      if (card.outcome !== 'active') throw new Error(`The card is ${card.outcome}`)
      expectCard(card)
      expect(await waitForOutcome(processorUnderTest, request)).toEqual(card)
      const other = await waitForOutcome(processorUnderTest, { ...request, cardId: 'Card:2' })
      if (other.outcome !== 'active') throw new Error(`The other card is ${other.outcome}`)
      expect(other.processorRef).not.toBe(card.processorRef)
      expect(toJson(card), 'a card number').not.toMatch(/\d{12}/)
    })

    test('reports a rejected card as rejected every time', async () => {
      const processorUnderTest = await make()
      if (!processorUnderTest.rejected) return
      const request = {
        ...processorUnderTest.rejected,
        cardId: 'Card:3',
        currency: 'USD',
        requestedAt: REQUESTED_AT,
      }
      expect(await waitForOutcome(processorUnderTest, request)).toEqual({ outcome: 'rejected' })
      expect(await waitForOutcome(processorUnderTest, request)).toEqual({ outcome: 'rejected' })
    })

    test('accepts a new state of a card, and the same state again', async () => {
      const processorUnderTest = await make()
      const request = {
        ...processorUnderTest.active,
        cardId: 'Card:1',
        currency: 'USD',
        requestedAt: REQUESTED_AT,
      }
      const card = await waitForOutcome(processorUnderTest, request)
      if (card.outcome !== 'active') throw new Error(`The card is ${card.outcome}`)
      for (const state of ['FROZEN', 'FROZEN', 'ACTIVE', 'CLOSED', 'CLOSED'] as const)
        await processorUnderTest.processor.updateState(card.processorRef, state)
    })

    test('plans the pull of an authorization for now or later, and returns the same plan every time', async () => {
      const { processor } = await make()
      for (const event of EVENTS) {
        if (event.kind !== 'authorization') continue
        const plan = processor.pullPlan(event, REQUESTED_AT)
        expect(plan.at.getTime()).toBeGreaterThanOrEqual(REQUESTED_AT.getTime())
        expect(processor.pullPlan(event, REQUESTED_AT)).toEqual(plan)
      }
    })

    test('sends events whose amounts and texts arrive unchanged', async () => {
      const { processor, send } = await make()
      for (const event of EVENTS) {
        const { headers, body } = send(event)
        expect(withBigintAmount(processor.readEvent(headers, body))).toEqual(event)
        // A retry has the same bytes.
        expect(withBigintAmount(processor.readEvent(headers, body))).toEqual(event)
      }
    })

    test('accepts only the exact bytes that it has signed, and throws for no other input', async () => {
      const { processor, send } = await make()
      const { headers, body } = send(EVENTS[0]!)
      const otherEvent = send(EVENTS[1]!)
      expect(processor.readEvent({}, body), 'without headers').toBeUndefined()
      expect(processor.readEvent(headers, new Uint8Array()), 'without a body').toBeUndefined()
      expect(processor.readEvent(otherEvent.headers, body), 'with the signature of another').toBeUndefined()
      for (let n = 0; n < body.length; n += 7) {
        const changed = Uint8Array.from(body, (byte, place) => (place === n ? byte ^ 1 : byte))
        expect(processor.readEvent(headers, changed), `with byte ${n} changed`).toBeUndefined()
      }
      expect(processor.readEvent(headers, Buffer.concat([body, Buffer.from(' ')])), 'longer').toBeUndefined()
      expect(processor.readEvent(headers, body.subarray(0, -1)), 'shorter').toBeUndefined()
      const garbled = Object.keys(headers).map((name) => [name, 'é\u0000,,='] as const)
      expect(processor.readEvent(Object.fromEntries(garbled), body), 'garbled').toBeUndefined()
    })
  })
}

/** Polls until the card has an outcome. */
async function waitForOutcome(
  { processor, wait }: ProcessorUnderTest,
  request: Omit<ProvisionRequest, 'now'>,
): Promise<Provision> {
  let now = request.requestedAt
  for (let requests = 0; requests < REQUESTS_MAX; requests++) {
    const provision = await processor.provision({ ...request, now })
    if (provision.outcome !== 'pending') return provision
    if (!provision.pollAt) throw new Error('The processor will not say')
    expect(provision.pollAt.getTime()).toBeGreaterThan(now.getTime())
    now = provision.pollAt
    await wait(now)
  }
  throw new Error(`The processor was asked ${REQUESTS_MAX} times`)
}

function expectCard({
  brand,
  last4,
  expMonth,
  expYear,
  panEmbedUrl,
  processorRef,
  issuerRef,
}: ProvisionedCard) {
  expect(['VISA', 'MASTERCARD']).toContain(brand)
  expect(last4).toMatch(/^\d{4}$/)
  expect(expMonth).toBeGreaterThanOrEqual(1)
  expect(expMonth).toBeLessThanOrEqual(12)
  expect(new Date(Date.UTC(expYear, expMonth)) > REQUESTED_AT, 'not expired').toBe(true)
  expect(panEmbedUrl).toMatch(/^(\/|https:\/\/)/)
  for (const reference of [processorRef, issuerRef]) expect(reference).toMatch(/^[\x21-\x7e]{1,255}$/)
}

/** Converts the amount of an event to a bigint, as its schema does. */
function withBigintAmount(event: unknown): unknown {
  const { amount } = event as { amount: number | bigint }
  return { ...(event as object), amount: BigInt(amount) }
}

/** A verifier under test, and its provider. */
interface VerifierUnderTest {
  readonly verifier: Verifier
  /** Sets the provider's response to the next submissions. */
  answer(how: VerifierResult | 'later' | 'failure' | 'nonsense'): void
  /** Returns the cases at the provider, by verification and submission. A repeated submission counts once. */
  cases(): readonly VerificationSubmission[]
  /** Returns an event as the provider sends it at the time `at`, in the form that `readEvent` accepts. */
  report(
    event: VerifierEvent,
    at: Date,
  ): { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }
  stop(): Promise<void>
}

const SUBMISSION: VerificationSubmission = {
  verificationId: 'Verification:1',
  submission: 1,
  platformId: 'Platform:1',
  customer: { id: 'Customer:1', fullName: 'Zoë "東京"', taxId: '12-3456789' },
  beneficialOwners: [{ id: 'BeneficialOwner:1' }],
  documents: [{ id: 'Document:1' }],
}

const OUTCOMES: readonly VerifierResult[] = [
  { decision: 'APPROVE' },
  { decision: 'REJECT', reason: 'The person does not exist.' },
  { decision: 'REFER' },
  {
    decision: 'REQUEST_INFORMATION',
    errors: [{ resourceId: 'Document:1', type: 'POOR_QUALITY_DOCUMENT', reason: 'It cannot be read.' }],
  },
  {
    decision: 'APPROVE',
    beneficialOwners: [{ beneficialOwnerId: 'BeneficialOwner:1', decision: 'APPROVE' }],
  },
]

const EVENT: VerifierEvent = {
  type: 'verification.decided',
  eventId: 'event-1',
  verificationId: 'Verification:1',
  submission: 1,
  decision: 'REJECT',
  reason: 'Zoë is not "東京".',
}

/** Tests the contract of every verifier (`ports/verifier.ts`). */
export function describeVerifier(name: string, make: () => Promise<VerifierUnderTest>): void {
  describe(`the verifier ${name}`, () => {
    const withVerifier = async (use: (verifierUnderTest: VerifierUnderTest) => Promise<void>) => {
      const verifierUnderTest = await make()
      try {
        await use(verifierUnderTest)
      } finally {
        await verifierUnderTest.stop()
      }
    }

    test.each(OUTCOMES)('returns the outcome of its provider: %j', (outcome) =>
      withVerifier(async ({ verifier, answer, cases }) => {
        answer(outcome)
        expect(await verifier.submit(SUBMISSION)).toEqual(outcome)
        expect(cases()).toMatchObject([SUBMISSION])
      }),
    )

    test('returns WAIT if the provider reports later', () =>
      withVerifier(async ({ verifier, answer }) => {
        answer('later')
        expect(await verifier.submit(SUBMISSION)).toEqual({ decision: 'WAIT' })
      }))

    test('creates one case at the provider for a repeated submission, and another case for the next submission', () =>
      withVerifier(async ({ verifier, answer, cases }) => {
        answer('later')
        for (const submission of [1, 1, 2]) await verifier.submit({ ...SUBMISSION, submission })
        expect(cases().map(({ submission }) => submission)).toEqual([1, 2])
      }))

    test.each(['failure', 'nonsense'] as const)(
      'throws if its provider responds with a %s, and accepts the submission again',
      (how) =>
        withVerifier(async ({ verifier, answer }) => {
          answer(how)
          await expect(verifier.submit(SUBMISSION)).rejects.toThrow()
          answer({ decision: 'APPROVE' })
          expect(await verifier.submit(SUBMISSION)).toEqual({ decision: 'APPROVE' })
        }),
    )

    test('accepts only a recent event that the provider has signed', () =>
      withVerifier(async ({ verifier, report }) => {
        const now = new Date('2030-01-02T03:04:05Z')
        const { headers, body } = report(EVENT, now)
        expect(verifier.readEvent(headers, body, now)).toEqual(EVENT)
        const changed = Buffer.from(Buffer.from(body).toString().replace('REJECT', 'APPROVE'))
        expect(verifier.readEvent(headers, changed, now)).toBeUndefined()
        expect(verifier.readEvent({}, body, now)).toBeUndefined()
        const later = new Date(now.getTime() + 3_600_000)
        expect(verifier.readEvent(headers, body, later)).toBeUndefined()
      }))
  })
}
