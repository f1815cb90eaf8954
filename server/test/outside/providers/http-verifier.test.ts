import type { JsonSchema } from '@countersign/contract/core/decode'
import { VerificationOutcome } from '@countersign/contract/customers/verifications'
import { expect, test } from 'vitest'
import { parseWebhookSecret } from '../../../src/base/crypto/standard-webhooks.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { ConfigError } from '../../../src/base/settings/config-error.ts'
import { validator } from '../../../src/edge/http/request/validate.ts'
import { machineClock } from '../../../src/kernel/operation/app.ts'
import type { VerifierResult } from '../../../src/kernel/ports/verifier.ts'
import { createHttpVerifier } from '../../../src/outside/providers/http-verifier.ts'
import { describeVerifier } from '../../worlds/contract/suites.testing.ts'
import { verificationProvider } from '../../worlds/records/screenings.testing.ts'

const checkOutcome = validator(VerificationOutcome as JsonSchema, 'body') as (
  answer: unknown,
) => VerifierResult

async function createVerifier() {
  const provider = await verificationProvider()
  const secrets = [Buffer.alloc(32, 1), parseWebhookSecret(provider.secret)!]
  return {
    provider,
    verifier: createHttpVerifier({ url: provider.url, secrets }, machineClock, checkOutcome),
  }
}

describeVerifier('over HTTP', async () => {
  const { provider, verifier } = await createVerifier()
  return {
    verifier,
    answer: (how) => {
      provider.answer = how
    },
    cases: () => [...provider.cases.values()],
    report: (event, at) => provider.report(event, at),
    stop: () => provider.stop(),
  }
})

test("the error of a failed submission repeats nothing from the provider's response", async () => {
  const { provider, verifier } = await createVerifier()
  provider.answer = 'failure'
  const submission = {
    verificationId: 'Verification:1',
    submission: 1,
    platformId: 'Platform:1',
    customer: {},
    beneficialOwners: [],
    documents: [],
  }
  await expect(verifier.submit(submission)).rejects.toThrow('The verification provider returned 500')
  await provider.stop()
  await expect(verifier.submit(submission)).rejects.toThrow(
    'The verification provider cannot be reached: ECONNREFUSED',
  )
})

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

test.each([
  [{ VERIFICATION_URL: 'https://kyc.example' }, 'VERIFICATION_SECRET is missing'],
  [{ VERIFICATION_SECRET: SECRET }, 'VERIFICATION_URL is missing'],
  [
    { VERIFICATION_URL: 'http://kyc.example', VERIFICATION_SECRET: SECRET },
    'VERIFICATION_URL must begin with https://',
  ],
  [
    { VERIFICATION_URL: 'https://kyc.example', VERIFICATION_SECRET: 'whsec_short' },
    'VERIFICATION_SECRET must be',
  ],
  [
    { VERIFICATION_URL: 'https://kyc.example', VERIFICATION_SECRET: `${SECRET},${SECRET},${SECRET}` },
    'VERIFICATION_SECRET must be',
  ],
])('unusable verification settings are reported in one clear line: %j', (env, message) => {
  expect(() => readConfig(env)).toThrow(ConfigError)
  expect(() => readConfig(env)).toThrow(message)
})

test('two verification secrets can be set while one replaces the other', () => {
  const env = {
    VERIFICATION_URL: 'https://kyc.example/x',
    VERIFICATION_SECRET: `${SECRET}, ${SECRET.slice(6)}`,
  }
  expect(readConfig(env).verification).toEqual({
    url: 'https://kyc.example/x',
    secrets: [Buffer.alloc(32, 7), Buffer.alloc(32, 7)],
  })
})
