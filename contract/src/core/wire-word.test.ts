import { assert, property, stringMatching } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { API } from '../api.ts'
import { openApi } from '../document/openapi.ts'
import { WEBHOOKS } from '../events/webhooks.ts'
import { createWireSpelling, isWireWord } from './wire-word.ts'

const text = (wireWord?: string) =>
  JSON.stringify(openApi({ serverUrl: '/', ...(wireWord ? { wireWord } : {}) }))

/** Replaces every `svc` with the word in the same letter case, without the table of names. */
function replaceEverySvc(word: string, text: string): string {
  const capital = word.charAt(0).toUpperCase() + word.slice(1)
  const byCase = { SVC: word.toUpperCase(), Svc: capital, svc: word }
  return text.replaceAll(/SVC|Svc|svc/g, (part) => byCase[part as keyof typeof byCase])
}

/** The path segment between a field and the variants of its schema. */
const UNION = /^(\d+|anyOf|oneOf)$/

const words = stringMatching(/^[a-z][a-z0-9]{1,19}$/).filter(isWireWord)

describe('the wire word', () => {
  test('is the only difference between the documents of two wire words', { tags: 'long' }, () => {
    const usual = text()
    expect(usual.match(/svc/gi)?.length).toBeGreaterThan(20)
    assert(
      property(words, (word) => {
        expect(text(word) === replaceEverySvc(word, usual), word).toBe(true)
      }),
      { numRuns: 12, examples: [['acme'], ['svc'], ['a1'], ['svcsvc'], ['id'], ['api']] },
    )
  })

  test('does not make two names of the document equal', () => {
    // The reasons of a card are the only enum with the word in it.
    for (const word of ['acme', 'issuer', 'rejected', 'counterparty', 'webhook'])
      expect(text(word), word).toContain(
        `"ISSUER_REJECTED","CLOSED_BY_PLATFORM","CLOSED_BY_${word.toUpperCase()}"`,
      )
    expect(isWireWord('platform')).toBe(false)
  })

  test('occurs in schemas only in rateDetails and as a stateReason', () => {
    const places = new Set<string>()
    const walk = (node: unknown, path: readonly string[]): void => {
      if (typeof node === 'string' && /svc/i.test(node) && path.includes('enum'))
        places.add(`${path.filter((part) => part === 'stateReason').join()}=${node}`)
      if (typeof node !== 'object' || node === null) return
      if ('properties' in node)
        for (const name of Object.keys(node.properties as object))
          if (/svc/i.test(name)) places.add(`${path.findLast((part) => !UNION.test(part))}.${name}`)
      for (const [key, value] of Object.entries(node)) walk(value, [...path, key])
    }
    for (const { responses, body } of Object.values<{ responses: object; body?: unknown }>(API)) {
      walk(responses, [])
      const before = places.size
      walk(body, [])
      expect(places.size, 'no request has the word').toBe(before)
    }
    for (const { body } of Object.values(WEBHOOKS)) walk(body, [])
    expect([...places].sort()).toEqual([
      'rateDetails.svcApiFixedFee',
      'rateDetails.svcApiMultiplier',
      'rateDetails.svcApiVariableFeeAmount',
      'rateDetails.svcApiVariableFeeRate',
      'stateReason=CLOSED_BY_SVC',
    ])
  })

  test('is replaced in responses and restored, without changing text from callers', () => {
    const response = {
      data: [
        { stateReason: 'CLOSED_BY_SVC', rateDetails: { svcApiFixedFee: 1n, counterpartyFixedFee: 2n } },
        { stateReason: null, name: 'CLOSED_BY_SVC', note: 'svcApiFixedFee' },
      ],
      counterpartyInformation: { rateDetails: { svcApiFixedFee: 'theirs' } },
    }
    const { outward, inward } = createWireSpelling('acme')
    const spelled = {
      data: [
        { stateReason: 'CLOSED_BY_ACME', rateDetails: { acmeApiFixedFee: 1n, counterpartyFixedFee: 2n } },
        response.data[1],
      ],
      counterpartyInformation: response.counterpartyInformation,
    }
    expect(outward(response)).toEqual(spelled)
    expect(inward(spelled)).toEqual(response)
    // Names with another word are unknown to the reader and stay unchanged.
    expect(inward(response)).toEqual(response)
    expect(createWireSpelling().outward(response)).toBe(response)
  })

  test('has 2 to 20 lower-case letters and digits and starts with a letter', () => {
    for (const word of ['svc', 'a1', 'a'.repeat(20)]) expect(isWireWord(word), word).toBe(true)
    for (const word of ['', 'a', 'a'.repeat(21), '1a', 'Acme', 'ac-me', 'ac me', 'acme\n', 'å1'])
      expect(isWireWord(word), JSON.stringify(word)).toBe(false)
    expect(() => createWireSpelling('A')).toThrow('must be 2 to 20 lower-case letters')
  })
})
