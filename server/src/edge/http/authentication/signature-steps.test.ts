import { describe, expect, test } from 'vitest'
import {
  type Brought,
  classifyPresented,
  PRESENTED,
  SIGNATURE_POLICIES,
  STEPS,
  STEPS_AFTER_QUESTION,
  type Step,
  TO_BE_SIGNED,
  takesOf,
  toBeSignedOf,
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
  readonly of: (endpoint: EndpointConditions, call: CallConditions) => boolean
  readonly step: Step
}

/** The rules of the specification. Together they determine every combination. */
const RULES: Readonly<Record<string, Rule>> = {
  'An endpoint that takes no signed retry looks at no header.': {
    of: ({ signed }) => !signed,
    step: 'run',
  },
  'A proof needs the request that it answers.': {
    of: ({ signed }, { proof, requestId }) => !!signed && proof && !requestId,
    step: 'REQUEST_ID_MISSING',
  },
  'A proof answers its request, whatever is signed beside it.': {
    of: ({ signed }, { proof, requestId }) => !!signed && proof && requestId,
    step: 'approveByProof',
  },
  'A retry has both headers.': {
    of: ({ signed }, { proof, signature, requestId }) => !!signed && !proof && signature && requestId,
    step: 'approveBySignature',
  },
  'A Request-Id alone signs nothing.': {
    of: ({ signed }, { proof, signature, requestId }) => !!signed && !proof && !signature && requestId,
    step: 'WALLET_SIGNATURE_MISSING',
  },
  'A signature alone is refused, but for two kinds of endpoints.': {
    of: ({ signed, signatureAlone }, { proof, signature, requestId }) =>
      !!signed && !signatureAlone && !proof && signature && !requestId,
    step: 'REQUEST_ID_MISSING',
  },
  'One of them is asked with the signature.': {
    of: ({ signed, signatureAlone }, { proof, signature, requestId }) =>
      !!signed && signatureAlone === 'executes' && !proof && signature && !requestId,
    step: 'askForSignature',
  },
  'For the other one such a call is a first one.': {
    of: ({ signed, signatureAlone }, { proof, signature, requestId }) =>
      !!signed && signatureAlone === 'ignored' && !proof && signature && !requestId,
    step: 'ask',
  },
  'A first call asks what has to be signed.': {
    of: ({ signed }, { proof, signature, requestId }) => !!signed && !proof && !signature && !requestId,
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

describe('the signed check', () => {
  const combinations = ENDPOINTS.flatMap((endpoint) => CALLS.map((call) => ({ endpoint, call })))

  test.each(combinations)('has one step for %j', ({ endpoint, call }) => {
    const rules = Object.entries(RULES).filter(([, { of }]) => of(endpoint, call))
    expect(rules.map(([words]) => words)).toHaveLength(1)
    expect(STEPS[classifyPresented(call)][takesOf(endpoint)]).toBe(rules[0]?.[1].step)
  })

  test('every cell of the tables is reached, and there is no other', () => {
    const cells = combinations.map(({ endpoint, call }) => `${classifyPresented(call)} ${takesOf(endpoint)}`)
    const all = PRESENTED.flatMap((brought) => SIGNATURE_POLICIES.map((takes) => `${brought} ${takes}`))
    expect(new Set(cells)).toEqual(new Set(all))
    expect(cellsOf(STEPS)).toEqual(new Set(all))
    expect(new Set(AUTHORIZATIONS.map(toBeSignedOf))).toEqual(new Set(TO_BE_SIGNED))
    const questions = AFTER.map(([question, toBeSigned]) => `${toBeSigned} ${question}`)
    expect(cellsOf(STEPS_AFTER_QUESTION)).toEqual(new Set(questions))
  })

  test.each(AFTER)(
    'goes on after the question %s, where %s is to be signed, with %s',
    (question, signed, step) => {
      expect(STEPS_AFTER_QUESTION[signed][question]).toBe(step)
    },
  )

  test('what takes a signed retry runs without an approval only where its handler says so', () => {
    const runs = (brought: Brought) => SIGNATURE_POLICIES.filter((takes) => STEPS[brought][takes] === 'run')
    for (const brought of PRESENTED) expect([brought, runs(brought)]).toEqual([brought, ['nothing']])
    const { nothing, ...others } = STEPS_AFTER_QUESTION
    expect(Object.values(nothing)).toEqual(['run', 'run'])
    expect(Object.values(others).flatMap((row) => Object.values<string>(row))).not.toContain('run')
  })
})

function cellsOf(table: Readonly<Record<string, Readonly<Record<string, string>>>>): Set<string> {
  return new Set(
    Object.entries(table).flatMap(([row, cells]) => Object.keys(cells).map((cell) => `${row} ${cell}`)),
  )
}
