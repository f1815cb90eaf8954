import { describe, expect, test } from 'vitest'
import type {
  VerificationSubmission,
  Verifier,
  VerifierAnswer,
  VerifierEvent,
} from '../src/ports/verifier.ts'

/** A verifier under test, and its provider. */
export interface TriedVerifier {
  readonly verifier: Verifier
  /** What the provider does with the next submissions. */
  answer(how: VerifierAnswer | 'later' | 'failure' | 'nonsense'): void
  /** The cases that the provider has, by verification and submission; a repeated one is one. */
  cases(): readonly VerificationSubmission[]
  /** An event as the provider sends it at the time `at`: what `readEvent` is then given. */
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

/** The contract of every verifier (`ports/verifier.ts`). */
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
