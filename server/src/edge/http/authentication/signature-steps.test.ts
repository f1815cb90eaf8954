import { describe, expect, test } from 'vitest'
import {
  classifyAuthorization,
  classifyPresented,
  findSignaturePolicy,
  PRESENTED,
  type PresentedProofs,
  SIGNATURE_POLICIES,
  STEPS,
  STEPS_AFTER_QUESTION,
  type Step,
  TO_BE_SIGNED,
} from './signature-steps.ts'

const BOTH_WAYS = [false, true] as const
const ENDPOINTS = [undefined, false, true].flatMap((signed) =>
  ([undefined, 'ignored', 'executes'] as const).map((signatureAlone) => ({
    ...(signed === undefined ? {} : { signed }),
    ...(signatureAlone === undefined ? {} : { signatureAlone }),
  })),
)
const CALLS = BOTH_WAYS.flatMap((proof) =>
  BOTH_WAYS.flatMap((signature) => BOTH_WAYS.map((requestId) => ({ proof, signature, requestId }))),
)
const AUTHORIZATIONS = [null, { accountId: 'a', statement: {} }, { requestId: 'r' }]

type EndpointConditions = (typeof ENDPOINTS)[number]
type CallConditions = (typeof CALLS)[number]

interface Rule {
  readonly appliesTo: (endpoint: EndpointConditions, call: CallConditions) => boolean
  readonly step: Step
}

/** The rules of the specification. Together they determine every combination. */
const RULES: Readonly<Record<string, Rule>> = {
  'An endpoint that accepts no signed retry ignores the signature headers.': {
    appliesTo: ({ signed }) => !signed,
    step: 'run',
  },
  'A proof needs a Request-Id.': {
    appliesTo: ({ signed }, { proof, requestId }) => !!signed && proof && !requestId,
    step: 'REQUEST_ID_MISSING',
  },
  'A proof with a Request-Id approves its request, even if there is also a signature.': {
    appliesTo: ({ signed }, { proof, requestId }) => !!signed && proof && requestId,
    step: 'approveByProof',
  },
  'A signature with a Request-Id approves its request.': {
    appliesTo: ({ signed }, { proof, signature, requestId }) => !!signed && !proof && signature && requestId,
    step: 'approveBySignature',
  },
  'A Request-Id without a signature is refused.': {
    appliesTo: ({ signed }, { proof, signature, requestId }) => !!signed && !proof && !signature && requestId,
    step: 'WALLET_SIGNATURE_MISSING',
  },
  'A signature without a Request-Id is refused by default.': {
    appliesTo: ({ signed, signatureAlone }, { proof, signature, requestId }) =>
      !!signed && !signatureAlone && !proof && signature && !requestId,
    step: 'REQUEST_ID_MISSING',
  },
  'An endpoint that executes such calls asks its handler for the issued request.': {
    appliesTo: ({ signed, signatureAlone }, { proof, signature, requestId }) =>
      !!signed && signatureAlone === 'executes' && !proof && signature && !requestId,
    step: 'askForSignature',
  },
  'An endpoint that ignores such a signature treats the call as the first one.': {
    appliesTo: ({ signed, signatureAlone }, { proof, signature, requestId }) =>
      !!signed && signatureAlone === 'ignored' && !proof && signature && !requestId,
    step: 'ask',
  },
  'The first call asks the handler for the payload to sign.': {
    appliesTo: ({ signed }, { proof, signature, requestId }) =>
      !!signed && !proof && !signature && !requestId,
    step: 'ask',
  },
}

const AFTER = [
  ['ask', 'nothing', 'run'],
  ['ask', 'newPayload', 'challenge'],
  ['ask', 'issuedRequest', 'challenge'],
  ['askForSignature', 'nothing', 'run'],
  // A signature cannot cover a payload that is only created now.
  ['askForSignature', 'newPayload', 'fault'],
  ['askForSignature', 'issuedRequest', 'approveIssued'],
] as const

describe('the signature check', () => {
  const combinations = ENDPOINTS.flatMap((endpoint) => CALLS.map((call) => ({ endpoint, call })))

  test.each(combinations)('has one step for %j', ({ endpoint, call }) => {
    const rules = Object.entries(RULES).filter(([, { appliesTo }]) => appliesTo(endpoint, call))
    expect(rules.map(([description]) => description)).toHaveLength(1)
    expect(STEPS[classifyPresented(call)][findSignaturePolicy(endpoint)]).toBe(rules[0]?.[1].step)
  })

  test('uses every cell of its tables and needs no others', () => {
    const cells = combinations.map(
      ({ endpoint, call }) => `${classifyPresented(call)} ${findSignaturePolicy(endpoint)}`,
    )
    const all = PRESENTED.flatMap((brought) => SIGNATURE_POLICIES.map((takes) => `${brought} ${takes}`))
    expect(new Set(cells)).toEqual(new Set(all))
    expect(listCells(STEPS)).toEqual(new Set(all))
    expect(new Set(AUTHORIZATIONS.map(classifyAuthorization))).toEqual(new Set(TO_BE_SIGNED))
    const questions = AFTER.map(([question, toBeSigned]) => `${toBeSigned} ${question}`)
    expect(listCells(STEPS_AFTER_QUESTION)).toEqual(new Set(questions))
  })

  test.each(AFTER)(
    'continues after the question %s with %s to sign with the step %s',
    (question, signed, step) => {
      expect(STEPS_AFTER_QUESTION[signed][question]).toBe(step)
    },
  )

  test('runs an endpoint that accepts signatures without an approval only if its handler needs none', () => {
    const runs = (brought: PresentedProofs) =>
      SIGNATURE_POLICIES.filter((takes) => STEPS[brought][takes] === 'run')
    for (const brought of PRESENTED) expect([brought, runs(brought)]).toEqual([brought, ['nothing']])
    const { nothing, ...others } = STEPS_AFTER_QUESTION
    expect(Object.values(nothing)).toEqual(['run', 'run'])
    expect(Object.values(others).flatMap((row) => Object.values<string>(row))).not.toContain('run')
  })
})

function listCells(table: Readonly<Record<string, Readonly<Record<string, string>>>>): Set<string> {
  return new Set(
    Object.entries(table).flatMap(([row, cells]) => Object.keys(cells).map((cell) => `${row} ${cell}`)),
  )
}
