import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexOfAny, refuseSecrets } from './log-secrets.ts'

const LOG = '{"level":20,"msg":"request done"}\n{"level":20,"msg":"sent s3cr3t-of-9 today"}\n{"level":30}'

test('a secret anywhere in a log is reported with its line', () => {
  expect(() => refuseSecrets(LOG, ['another secret', 's3cr3t-of-9'])).toThrow(
    'The server logged a secret: {"level":20,"msg":"sent s3cr3t-of-9 today"}',
  )
  expect(() => refuseSecrets(LOG, ['{"lev'])).toThrow(/logged a secret: \{"level":20,"msg":"request done"\}$/)
  expect(() => refuseSecrets(LOG, ['":30}'])).toThrow(/logged a secret: \{"level":30\}$/)
  expect(() => refuseSecrets(LOG, ['s3cr3t-of-8', 'request done!'])).not.toThrow()
})

test.each([
  'eyJwdWJsaWNLZXki',
  '"encappedPublic"',
  'Basic QWxhZGRpbjpv',
  `csa_${'x'.repeat(43)}`,
  'code 7KX-09A-QWE',
  'CLIENTSECRET',
  'the mnemonic of',
])('a log with a string that looks like a secret is reported: %s', (words) => {
  expect(() => refuseSecrets(`{"a":1}\n{"msg":"${words}"}\n`, [])).toThrow(
    /^The server logged a secret: \{"msg"/,
  )
})

test('a search for many words finds the same first position as separate searches', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 4, maxLength: 6 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.array(letters, { maxLength: 5 }), (text, words) => {
      const positions = words.map((word) => text.indexOf(word)).filter((at) => at >= 0)
      expect(indexOfAny(text, words)).toBe(positions.length > 0 ? Math.min(...positions) : -1)
    }),
  )
  expect(() => indexOfAny('text', ['abc'])).toThrow()
})
