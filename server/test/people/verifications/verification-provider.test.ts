import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlatform } from '../../../src/edge/service/first-platform.ts'
import type { VerifierEvent } from '../../../src/kernel/ports/verifier.ts'
import { findCustomer } from '../../../src/people/customers/customers.ts'
import { findCase, toSubmission } from '../../../src/people/verifications/case.ts'
import { TestPlatform } from '../../worlds/production/mail.testing.ts'
import { BUSINESS, FORM_TYPE, formOf, ownerOf, PDF, PERSON } from '../../worlds/records/onboarding.testing.ts'
import { type VerificationProvider, verificationProvider } from '../../worlds/records/screenings.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let provider: VerificationProvider
let service: TestServer
let authorization: string
let platformId: string
beforeAll(async () => {
  provider = await verificationProvider()
  service = await openServer(
    { COUNTERSIGN_MODE: 'production', VERIFICATION_URL: provider.url, VERIFICATION_SECRET: provider.secret },
    { listens: false },
  )
  await service.server.ready()
  const { tokenId, clientSecret, ...made } = await createPlatform(service.app, 'Test')
  platformId = made.platformId
  authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
})
afterAll(async () => {
  await service.close()
  await provider.stop()
})

async function ask(method: 'GET' | 'POST' | 'PATCH', path: string, payload?: object) {
  const { server } = service
  const url = `/2025-10-13${path}`
  const reply = await server.inject({
    method,
    url,
    headers: { authorization },
    ...(payload ? { payload } : {}),
  })
  return reply.json()
}

async function submitted(customer: object = PERSON) {
  const { id } = await ask('POST', '/customers', customer)
  const arrived = provider.next()
  const verification = await ask('POST', '/verifications', { customerId: id })
  return { id, verification, submission: await arrived }
}

async function report(event: VerifierEvent) {
  const { headers, body } = provider.report(event)
  return service.server.inject({
    method: 'POST',
    url: '/verification-provider/events',
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  })
}

/** The verification once it has this status; the provider's answer is recorded after it arrived. */
async function reached(id: string, status: string) {
  for (let tries = 0; tries < 1000; tries++) {
    const verification = await ask('GET', `/verifications/${id}`)
    if (verification.verificationStatus === status) return verification
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`The verification does not become ${status}`)
}

let events = 0
const decided = (verificationId: string, more: Partial<VerifierEvent> = {}): VerifierEvent => ({
  type: 'verification.decided',
  eventId: `event-${++events}`,
  verificationId,
  submission: 1,
  decision: 'APPROVE',
  ...more,
})

describe('in production with a verification provider', () => {
  test('a customer is submitted to it, and approved by its response', async () => {
    provider.answer = { decision: 'APPROVE' }
    const { id, verification, submission } = await submitted()
    expect(submission).toMatchObject({
      verificationId: verification.id,
      submission: 1,
      customer: { id, fullName: 'Ada Lovelace', kycStatus: 'PENDING' },
    })
    expect(await reached(verification.id, 'APPROVED')).toMatchObject({ errors: [] })
    expect((await ask('GET', `/customers/${id}`)).kycStatus).toBe('APPROVED')
  })

  test('no suffix and no setting decides', async () => {
    const reply = await ask('PATCH', '/config', { sandboxConfig: { verification: 'AUTOMATIC' } })
    expect(reply).toMatchObject({ status: 400, details: { field: 'sandboxConfig' } })
    expect((await ask('GET', '/config')).sandboxConfig).toBeUndefined()
    expect((await ask('POST', '/customers', { ...PERSON, fullName: 'Ada 002' })).kycStatus).toBe('PENDING')
  })

  test('a customer waits for an outcome that is reported later, once', async () => {
    provider.answer = 'later'
    const { id, verification } = await submitted()
    expect(verification.verificationStatus).toBe('IN_PROGRESS')
    const event = decided(verification.id, { decision: 'REJECT', reason: 'Person not found.' })
    const replies = await Promise.all(Array.from({ length: 20 }, () => report(event)))
    for (const reply of replies)
      expect(reply.json()).toMatchObject({ id: verification.id, verificationStatus: 'REJECTED' })
    expect((await ask('GET', `/customers/${id}`)).kycStatus).toBe('REJECTED')
    expect((await ask('GET', `/verifications/${verification.id}/decisions`)).data).toMatchObject([
      { decision: 'REJECT', decidedBy: { type: 'PROVIDER', id: event.eventId } },
    ])
    const other = await report(decided(verification.id))
    expect(other.json()).toMatchObject({ status: 409, code: 'INVALID_STATE_TRANSITION' })
  })

  test('a failed provider is called again under the same id', async () => {
    provider.answer = 'failure'
    const { verification } = await submitted()
    provider.answer = { decision: 'REFER' }
    await provider.next()
    await reached(verification.id, 'PENDING_MANUAL_REVIEW')
    expect([...provider.cases.keys()].filter((key) => key.startsWith(verification.id))).toEqual([
      `${verification.id}.1`,
    ])
  })

  test('the outcome of a submission that was replaced is refused', async () => {
    provider.answer = 'later'
    const { id, verification } = await submitted()
    const again = provider.next()
    await ask('PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL', fullName: 'Ada King' })
    expect(await again).toMatchObject({ submission: 2, customer: { fullName: 'Ada King' } })
    expect((await report(decided(verification.id))).json()).toMatchObject({
      status: 409,
      code: 'SUBMISSION_OUTDATED',
    })
    const newest = await report(decided(verification.id, { submission: 2 }))
    expect(newest.json().verificationStatus).toBe('APPROVED')
  })

  test('unsigned reports are refused', async () => {
    provider.answer = 'later'
    const { verification } = await submitted()
    const { body, headers } = provider.report(decided(verification.id))
    for (const given of [
      {},
      { ...headers, 'webhook-signature': 'v1,AAAA' },
      { ...headers, 'webhook-id': 'x' },
    ]) {
      const reply = await service.server.inject({
        method: 'POST',
        url: '/verification-provider/events',
        headers: { 'content-type': 'application/json', ...given },
        payload: body,
      })
      expect(reply.json()).toMatchObject({ status: 401, code: 'INVALID_SIGNATURE' })
    }
    expect((await ask('GET', `/verifications/${verification.id}`)).verificationStatus).toBe('IN_PROGRESS')
  })

  test('it gets identifiers and documents, which no response of the API shows', async () => {
    provider.answer = 'later'
    const { id } = await ask('POST', '/customers', { ...PERSON, nationality: 'GB', region: 'GB' })
    const { server } = service
    const uploaded = await server.inject({
      method: 'POST',
      url: '/2025-10-13/documents',
      headers: { authorization, 'content-type': FORM_TYPE },
      payload: formOf([
        ...Object.entries({ documentHolder: id, documentType: 'PASSPORT', country: 'GB' }).map(
          ([name, value]) => ({ name, value }),
        ),
        { name: 'file', fileName: 'passport.pdf', value: PDF },
      ]),
    })
    expect(uploaded.statusCode).toBe(201)
    const arrived = provider.next()
    await ask('POST', '/verifications', { customerId: id })
    const { documents } = await arrived
    expect(documents).toMatchObject([{ ...uploaded.json(), url: expect.stringContaining('/files/') }])
    const { url } = documents[0] as { url: string }
    const file = await server.inject({ method: 'GET', url: new URL(url).pathname })
    expect(file.rawPayload).toEqual(PDF)
  })

  test('it gets the owners of a business with their identifiers', async () => {
    const { id } = await ask('POST', '/customers', BUSINESS)
    const owner = await ask('POST', '/beneficial-owners', ownerOf(id))
    expect(owner).toMatchObject({ kycStatus: 'PENDING', personalInfo: { identifier: '*******6789' } })
    const op = await new TestPlatform(service, platformId).op()
    const one = await findCase(op, await findCustomer(op, id))
    const { beneficialOwners } = toSubmission(op, one, { id: 'Verification:1', submission: 1 }, new Map())
    expect(beneficialOwners).toMatchObject([{ id: owner.id, personalInfo: { identifier: '123-45-6789' } }])
  })
})
