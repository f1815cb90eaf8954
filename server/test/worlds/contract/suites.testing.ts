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
  VerifierAnswer,
  VerifierEvent,
} from '../../../src/kernel/ports/verifier.ts'
import type { Reply } from '../client.testing.ts'
import type { Ids, ParamKind } from './bodies.testing.ts'
import { forEach, kindOfParam, missingId, pathWith, validBody } from './calls.testing.ts'
import { type JsonSchema, kindsOf, membersOf, samples, withRaw } from './schemas.testing.ts'

/** The caller of an endpoint. */
export interface Isolated {
  send(endpoint: Endpoint, path: string, body?: unknown): Promise<Reply>
  /** The caller's own records. */
  ids(endpoint: Endpoint): Ids
  /** Records of this kind that the endpoint must not reveal to the caller. */
  strangers(endpoint: Endpoint, kind: ParamKind): readonly (string | undefined)[]
}

/** A response with the requested id removed. */
function withoutId(reply: Reply, id: string) {
  return { status: reply.status, body: toJson(reply.body ?? null).replaceAll(id, '<id>') }
}

/**
 * Tests that at every position of an id in each endpoint, a record of somebody else and a missing record get
 * the same response.
 */
export function testStrangersAreMissing(
  endpoints: readonly (readonly [EndpointName, Endpoint])[],
  caller: Isolated,
): void {
  async function expectAsIfMissing(
    what: string,
    endpoint: Endpoint,
    kind: ParamKind,
    ask: (id: string) => Promise<Reply>,
  ) {
    const strangers = caller.strangers(endpoint, kind).filter((id) => id !== undefined)
    if (strangers.length === 0) return
    const missing = await ask(missingId(kind))
    for (const id of strangers) {
      const strange = await ask(id)
      expect(withoutId(strange, id), what).toEqual(withoutId(missing, missingId(kind)))
      expect(strange.status, what).not.toBe(500)
    }
  }
  const ownFor = (endpoint: Endpoint) => (kind: ParamKind) => caller.ids(endpoint)[kind] ?? missingId(kind)

  // A code in the path is itself the credential.
  const withParams = endpoints.filter(([, { params, auth }]) => params && auth !== 'deviceCode')
  test.each(withParams)('in the address of %s', async (name, endpoint) => {
    const own = ownFor(endpoint)
    for (const param of Object.keys((endpoint.params as unknown as JsonSchema).properties!)) {
      const kind = kindOfParam(endpoint, param)
      await expectAsIfMissing(name, endpoint, kind, async (id) => {
        const path = pathWith(endpoint, (other) => (other === kind ? id : own(other)))
        const reply = await caller.send(endpoint, path, validBody(name, caller.ids(endpoint)))
        expect(reply.status, `${name} ${toJson(reply.body)}`).toBe(404)
        return reply
      })
    }
  })

  const withQuery = endpoints.filter(([, { query }]) => query)
  test.each(withQuery)('in the query of %s', async (name, endpoint) => {
    const { properties = {} } = endpoint.query as unknown as JsonSchema
    for (const [member, schema] of Object.entries(properties))
      for (const kind of kindsOf(schema) ?? [])
        await expectAsIfMissing(`${name} ${member}`, endpoint, kind as ParamKind, (id) =>
          caller.send(endpoint, `${pathWith(endpoint, ownFor(endpoint))}?${member}=${id}`),
        )
  })

  // A batch reports lines that name a missing account only when they are checked: see
  // `payout-batches.test.ts`.
  const withBody = endpoints.filter(([name, { body }]) => body && name !== 'payout_batch_create')
  test.each(withBody)('in the body of %s', async (name, endpoint) => {
    const schema = endpoint.body as unknown as JsonSchema
    const seen = new Set<string>()
    for (const sample of [validBody(name, caller.ids(endpoint))!, ...samples(schema)]) {
      const ids = membersOf(schema, sample).flatMap(({ path, schema }) =>
        (kindsOf(schema) ?? []).map((kind) => ({ path, kind })),
      )
      await forEach(ids, async ({ path, kind }) => {
        const what = `${name} ${path.join('.')} ${kind}`
        if (seen.has(what)) return
        seen.add(what)
        await expectAsIfMissing(what, endpoint, kind as ParamKind, (id) =>
          caller.send(
            endpoint,
            pathWith(endpoint, ownFor(endpoint)),
            withRaw(sample, path, JSON.stringify(id)),
          ),
        )
      })
    }
  })
}

/** A processor under test. */
export interface TriedProcessor {
  readonly processor: CardProcessor
  /** An event as sent by the processor, in the form that `readEvent` accepts. */
  send(event: ProcessorEvent): {
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array
  }
  /** A request for a card that becomes active and, if the processor supports it, for one that is rejected. */
  readonly active: Pick<ProvisionRequest, 'platformCardId'>
  readonly rejected: Pick<ProvisionRequest, 'platformCardId'> | undefined
  /** Advances the processor's own time. */
  wait(until: Date): Promise<void>
}

const REQUESTED_AT = new Date('2030-02-03T04:05:06Z')
const ASKED_MAX = 20

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
export function describeCardProcessor(name: string, make: () => Promise<TriedProcessor>): void {
  describe(`the card processor ${name}`, () => {
    test('creates a card, the same one at every call, and shows no number of it', async () => {
      const tried = await make()
      const request = { ...tried.active, cardId: 'Card:1', currency: 'USD', requestedAt: REQUESTED_AT }
      const card = await outcomeOf(tried, request)
      if (card.outcome !== 'active') throw new Error(`The card is ${card.outcome}`)
      expectCard(card)
      expect(await outcomeOf(tried, request)).toEqual(card)
      const other = await outcomeOf(tried, { ...request, cardId: 'Card:2' })
      if (other.outcome !== 'active') throw new Error(`The other card is ${other.outcome}`)
      expect(other.processorRef).not.toBe(card.processorRef)
      expect(toJson(card), 'a card number').not.toMatch(/\d{12}/)
    })

    test('reports a rejected card as final', async () => {
      const tried = await make()
      if (!tried.rejected) return
      const request = { ...tried.rejected, cardId: 'Card:3', currency: 'USD', requestedAt: REQUESTED_AT }
      expect(await outcomeOf(tried, request)).toEqual({ outcome: 'rejected' })
      expect(await outcomeOf(tried, request)).toEqual({ outcome: 'rejected' })
    })

    test('accepts a state, also when it is repeated', async () => {
      const tried = await make()
      const request = { ...tried.active, cardId: 'Card:1', currency: 'USD', requestedAt: REQUESTED_AT }
      const card = await outcomeOf(tried, request)
      if (card.outcome !== 'active') throw new Error(`The card is ${card.outcome}`)
      for (const state of ['FROZEN', 'FROZEN', 'ACTIVE', 'CLOSED', 'CLOSED'] as const)
        await tried.processor.updateState(card.processorRef, state)
    })

    test('plans a pull for now or later, the same one at every call', async () => {
      const { processor } = await make()
      for (const event of EVENTS) {
        if (event.kind !== 'authorization') continue
        const plan = processor.pullPlan(event, REQUESTED_AT)
        expect(plan.at.getTime()).toBeGreaterThanOrEqual(REQUESTED_AT.getTime())
        expect(processor.pullPlan(event, REQUESTED_AT)).toEqual(plan)
      }
    })

    test('sends events whose amounts and texts arrive exactly', async () => {
      const { processor, send } = await make()
      for (const event of EVENTS) {
        const { headers, body } = send(event)
        expect(bigAmount(processor.readEvent(headers, body))).toEqual(event)
        // A retry is accepted too.
        expect(bigAmount(processor.readEvent(headers, body))).toEqual(event)
      }
    })

    test('accepts only the exact bytes that it signed, and does not throw', async () => {
      const { processor, send } = await make()
      const { headers, body } = send(EVENTS[0]!)
      const other = send(EVENTS[1]!)
      expect(processor.readEvent({}, body), 'without headers').toBeUndefined()
      expect(processor.readEvent(headers, new Uint8Array()), 'without a body').toBeUndefined()
      expect(processor.readEvent(other.headers, body), 'with the signature of another').toBeUndefined()
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
async function outcomeOf(
  { processor, wait }: TriedProcessor,
  request: Omit<ProvisionRequest, 'now'>,
): Promise<Provision> {
  let now = request.requestedAt
  for (let asked = 0; asked < ASKED_MAX; asked++) {
    const answer = await processor.provision({ ...request, now })
    if (answer.outcome !== 'pending') return answer
    if (!answer.pollAt) throw new Error('The processor will not say')
    expect(answer.pollAt.getTime()).toBeGreaterThan(now.getTime())
    now = answer.pollAt
    await wait(now)
  }
  throw new Error(`The processor was asked ${ASKED_MAX} times`)
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

/** Parses an event with its schema. */
function bigAmount(event: unknown): unknown {
  const { amount } = event as { amount: number | bigint }
  return { ...(event as object), amount: BigInt(amount) }
}

/** A verifier under test, and its provider. */
export interface TriedVerifier {
  readonly verifier: Verifier
  /** Sets the provider's response to the next submissions. */
  answer(how: VerifierAnswer | 'later' | 'failure' | 'nonsense'): void
  /** The cases at the provider, by verification and submission. A repeated submission counts once. */
  cases(): readonly VerificationSubmission[]
  /** An event as sent by the provider at the time `at`, in the form that `readEvent` accepts. */
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

const OUTCOMES: readonly VerifierAnswer[] = [
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
export function describeVerifier(name: string, make: () => Promise<TriedVerifier>): void {
  describe(`the verifier ${name}`, () => {
    const tried = async (use: (one: TriedVerifier) => Promise<void>) => {
      const one = await make()
      try {
        await use(one)
      } finally {
        await one.stop()
      }
    }

    test.each(OUTCOMES)('gives the outcome of its provider: %j', (outcome) =>
      tried(async ({ verifier, answer, cases }) => {
        answer(outcome)
        expect(await verifier.submit(SUBMISSION)).toEqual(outcome)
        expect(cases()).toMatchObject([SUBMISSION])
      }),
    )

    test('waits where the provider reports later', () =>
      tried(async ({ verifier, answer }) => {
        answer('later')
        expect(await verifier.submit(SUBMISSION)).toEqual({ decision: 'WAIT' })
      }))

    test('gives the same submission as one case, however often, and another one as another', () =>
      tried(async ({ verifier, answer, cases }) => {
        answer('later')
        for (const submission of [1, 1, 2]) await verifier.submit({ ...SUBMISSION, submission })
        expect(cases().map(({ submission }) => submission)).toEqual([1, 2])
      }))

    test.each(['failure', 'nonsense'] as const)('throws at a %s, and can be asked again', (how) =>
      tried(async ({ verifier, answer }) => {
        answer(how)
        await expect(verifier.submit(SUBMISSION)).rejects.toThrow()
        answer({ decision: 'APPROVE' })
        expect(await verifier.submit(SUBMISSION)).toEqual({ decision: 'APPROVE' })
      }),
    )

    test('reads an event that the provider has signed, and no other', () =>
      tried(async ({ verifier, report }) => {
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
