import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlatform } from '../../../src/edge/service/first-platform.ts'
import type { VerifierEvent } from '../../../src/kernel/ports/verifier.ts'
import { findCustomer } from '../../../src/people/customers/customers.ts'
import { findCase, toSubmission } from '../../../src/people/verifications/case.ts'
import { TestPlatform } from '../../worlds/production/mail.testing.ts'
import {
  BUSINESS,
  encodeForm,
  FORM_TYPE,
  ownerOf,
  PDF,
  PERSON,
} from '../../worlds/records/onboarding.testing.ts'
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
  const { tokenId, clientSecret, ...created } = await createPlatform(service.app, 'Test')
  platformId = created.platformId
  authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
})
afterAll(async () => {
  await service.close()
  await provider.stop()
})

async function callApi(method: 'GET' | 'POST' | 'PATCH', path: string, payload?: object) {
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

async function submitCustomer(customer: object = PERSON) {
  const { id } = await callApi('POST', '/customers', customer)
  const arrived = provider.next()
  const verification = await callApi('POST', '/verifications', { customerId: id })
  return { id, verification, submission: await arrived }
}

async function sendReport(event: VerifierEvent) {
  const { headers, body } = provider.report(event)
  return service.server.inject({
    method: 'POST',
    url: '/verification-provider/events',
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  })
}

/** Waits, because the provider's response is recorded only after it arrives. */
async function waitForStatus(id: string, status: string) {
  for (let tries = 0; tries < 1000; tries++) {
    const verification = await callApi('GET', `/verifications/${id}`)
    if (verification.verificationStatus === status) return verification
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`The verification does not become ${status}`)
}

let eventCount = 0
const buildDecision = (verificationId: string, more: Partial<VerifierEvent> = {}): VerifierEvent => ({
  type: 'verification.decided',
  eventId: `event-${++eventCount}`,
  verificationId,
  submission: 1,
  decision: 'APPROVE',
  ...more,
})

describe('in production with a verification provider', () => {
  test('a customer is submitted to the provider and approved by its response', async () => {
    provider.answer = { decision: 'APPROVE' }
    const { id, verification, submission } = await submitCustomer()
    expect(submission).toMatchObject({
      verificationId: verification.id,
      submission: 1,
      customer: { id, fullName: 'Ada Lovelace', kycStatus: 'PENDING' },
    })
    expect(await waitForStatus(verification.id, 'APPROVED')).toMatchObject({ errors: [] })
    expect((await callApi('GET', `/customers/${id}`)).kycStatus).toBe('APPROVED')
  })

  test('neither a name suffix nor a setting decides', async () => {
    const reply = await callApi('PATCH', '/config', { sandboxConfig: { verification: 'AUTOMATIC' } })
    expect(reply).toMatchObject({ status: 400, details: { field: 'sandboxConfig' } })
    expect((await callApi('GET', '/config')).sandboxConfig).toBeUndefined()
    expect((await callApi('POST', '/customers', { ...PERSON, fullName: 'Ada 002' })).kycStatus).toBe(
      'PENDING',
    )
  })

  test('a customer waits for an outcome that is reported later, once', async () => {
    provider.answer = 'later'
    const { id, verification } = await submitCustomer()
    expect(verification.verificationStatus).toBe('IN_PROGRESS')
    const event = buildDecision(verification.id, { decision: 'REJECT', reason: 'Person not found.' })
    const replies = await Promise.all(Array.from({ length: 20 }, () => sendReport(event)))
    for (const reply of replies)
      expect(reply.json()).toMatchObject({ id: verification.id, verificationStatus: 'REJECTED' })
    expect((await callApi('GET', `/customers/${id}`)).kycStatus).toBe('REJECTED')
    expect((await callApi('GET', `/verifications/${verification.id}/decisions`)).data).toMatchObject([
      { decision: 'REJECT', decidedBy: { type: 'PROVIDER', id: event.eventId } },
    ])
    const conflicting = await sendReport(buildDecision(verification.id))
    expect(conflicting.json()).toMatchObject({ status: 409, code: 'INVALID_STATE_TRANSITION' })
  })

  test('a failed provider is called again under the same id', async () => {
    provider.answer = 'failure'
    const { verification } = await submitCustomer()
    provider.answer = { decision: 'REFER' }
    await provider.next()
    await waitForStatus(verification.id, 'PENDING_MANUAL_REVIEW')
    expect([...provider.cases.keys()].filter((key) => key.startsWith(verification.id))).toEqual([
      `${verification.id}.1`,
    ])
  })

  test('the outcome of a submission that was replaced is refused', async () => {
    provider.answer = 'later'
    const { id, verification } = await submitCustomer()
    const resubmission = provider.next()
    await callApi('PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL', fullName: 'Ada King' })
    expect(await resubmission).toMatchObject({ submission: 2, customer: { fullName: 'Ada King' } })
    expect((await sendReport(buildDecision(verification.id))).json()).toMatchObject({
      status: 409,
      code: 'SUBMISSION_OUTDATED',
    })
    const newest = await sendReport(buildDecision(verification.id, { submission: 2 }))
    expect(newest.json().verificationStatus).toBe('APPROVED')
  })

  test('unsigned reports are refused', async () => {
    provider.answer = 'later'
    const { verification } = await submitCustomer()
    const { body, headers } = provider.report(buildDecision(verification.id))
    for (const badHeaders of [
      {},
      { ...headers, 'webhook-signature': 'v1,AAAA' },
      { ...headers, 'webhook-id': 'x' },
    ]) {
      const reply = await service.server.inject({
        method: 'POST',
        url: '/verification-provider/events',
        headers: { 'content-type': 'application/json', ...badHeaders },
        payload: body,
      })
      expect(reply.json()).toMatchObject({ status: 401, code: 'INVALID_SIGNATURE' })
    }
    expect((await callApi('GET', `/verifications/${verification.id}`)).verificationStatus).toBe('IN_PROGRESS')
  })

  test('the provider gets identifiers and documents that no API response shows', async () => {
    provider.answer = 'later'
    const { id } = await callApi('POST', '/customers', { ...PERSON, nationality: 'GB', region: 'GB' })
    const { server } = service
    const uploaded = await server.inject({
      method: 'POST',
      url: '/2025-10-13/documents',
      headers: { authorization, 'content-type': FORM_TYPE },
      payload: encodeForm([
        ...Object.entries({ documentHolder: id, documentType: 'PASSPORT', country: 'GB' }).map(
          ([name, value]) => ({ name, value }),
        ),
        { name: 'file', fileName: 'passport.pdf', value: PDF },
      ]),
    })
    expect(uploaded.statusCode).toBe(201)
    const arrived = provider.next()
    await callApi('POST', '/verifications', { customerId: id })
    const { documents } = await arrived
    expect(documents).toMatchObject([{ ...uploaded.json(), url: expect.stringContaining('/files/') }])
    const { url } = documents[0] as { url: string }
    const file = await server.inject({ method: 'GET', url: new URL(url).pathname })
    expect(file.rawPayload).toEqual(PDF)
  })

  test('the provider gets the owners of a business with their identifiers', async () => {
    const { id } = await callApi('POST', '/customers', BUSINESS)
    const owner = await callApi('POST', '/beneficial-owners', ownerOf(id))
    expect(owner).toMatchObject({ kycStatus: 'PENDING', personalInfo: { identifier: '*******6789' } })
    const op = await new TestPlatform(service, platformId).op()
    const verificationCase = await findCase(op, await findCustomer(op, id))
    const { beneficialOwners } = toSubmission(
      op,
      verificationCase,
      { id: 'Verification:1', submission: 1 },
      new Map(),
    )
    expect(beneficialOwners).toMatchObject([{ id: owner.id, personalInfo: { identifier: '123-45-6789' } }])
  })
})
