import { describe, expect, test } from 'vitest'
import { toJson } from '../src/json/json.ts'
import type {
  CardProcessor,
  ProcessorEvent,
  Provision,
  ProvisionedCard,
  ProvisionRequest,
} from '../src/ports/card-processor.ts'

/** A processor under test. */
export interface TriedProcessor {
  readonly processor: CardProcessor
  /** An event as the processor sends it: what `readEvent` is then given. */
  send(event: ProcessorEvent): {
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array
  }
  /** The request of a card that becomes active, and of one that is rejected where the processor supports that. */
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

/** The contract of every card processor (`ports/card-processor.ts`). */
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
        // A retry is accepted as well.
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

/** Asks until there is an outcome of the card. */
async function outcomeOf(
  { processor, wait }: TriedProcessor,
  request: Omit<ProvisionRequest, 'now'>,
): Promise<Provision> {
  let now = request.requestedAt
  for (let asked = 0; asked < ASKED_MAX; asked++) {
    const answer = await processor.provision({ ...request, now })
    if (answer.outcome !== 'pending') return answer
    if (!answer.askAgainAt) throw new Error('The processor will not say')
    expect(answer.askAgainAt.getTime()).toBeGreaterThan(now.getTime())
    now = answer.askAgainAt
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

/** As the schema makes it of what was parsed. */
function bigAmount(event: unknown): unknown {
  const { amount } = event as { amount: number | bigint }
  return { ...(event as object), amount: BigInt(amount) }
}
