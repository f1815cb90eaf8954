import type { EndpointName } from '@countersign/contract/api'
import { until } from '../production/bank.testing.ts'
import {
  authenticatorOf,
  Browser,
  newMember,
  newRole,
  passkeyBody,
  secretOf,
} from '../records/members.testing.ts'
import { checked, payout, readyToPay, sendLines } from '../records/payouts.testing.ts'
import { PERSON } from '../records/verifications.testing.ts'
import { validBody } from './calls.testing.ts'
import type { Call, Scene } from './scene.testing.ts'

type Calls = Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>>

/**
 * The calls about members, and about their actions and others': see `CALLS` of `example-world.testing.ts`.
 */
export const MEMBER_CALLS: Calls = {
  audit_event_get: async ({ client }) => ({
    ids: { AuditEvent: (await client.get('/audit-events?limit=1')).body.data[0].id },
  }),
  request_get: async ({ client }) => ({
    ids: { Request: (await client.get('/requests?limit=1')).body.data[0].httpRequestId },
  }),
  member_invite: () => ({
    body: { name: 'Grace Hopper', email: 'grace@example.com', permissions: ['VIEW', 'APPROVE'] },
  }),
  member_update: async ({ client }) => ({
    ids: { Member: (await newMember(client, ['VIEW'])).id },
    body: { permissions: ['VIEW', 'TRANSACT', 'APPROVE'] },
  }),
  member_role_create: () => ({ body: { name: 'Night shift', permissions: ['VIEW', 'APPROVE'] } }),
  member_role_update: async ({ client }) => ({
    ids: { MemberRole: await newRole(client, 'Weekend') },
    body: { permissions: ['VIEW', 'APPROVE', 'REVIEW'] },
  }),
  member_role_delete: async ({ client }) => ({ ids: { MemberRole: await newRole(client, 'Trainees') } }),
  member_delete: async ({ client }) => ({ ids: { Member: (await newMember(client, ['VIEW'])).id } }),
  member_session_list: ({ ids }) => ({ query: { memberId: ids.Member! } }),
  member_session_delete: async ({ client }) => ({
    ids: { MemberSession: (await newMember(client, ['VIEW'])).session },
  }),
  member_me_update: async ({ client }) => ({
    browser: (await newMember(client, ['VIEW', 'APPROVE'])).browser,
    body: { notifications: { channel: 'EMAIL', topics: ['APPROVALS', 'DEPOSITS'], intervalMinutes: 60 } },
  }),
  member_sign_out: async ({ client }) => ({ browser: (await newMember(client, ['VIEW'])).browser }),
  member_passkey_create: async ({ client }) => {
    const { browser } = await newMember(client, ['VIEW'])
    const { challenge } = (await browser.post('/members/me/passkeys/challenge')).body
    const attestation = authenticatorOf(browser).attest(challenge)
    return { browser, body: { name: 'Laptop', challenge, attestation } }
  },
  member_sign_in: async ({ client }) => {
    const { browser } = await newMember(client, ['VIEW', 'APPROVE'])
    const authenticator = authenticatorOf(browser)
    const { challenge } = (await browser.post('/members/me/passkeys/challenge')).body
    await browser.post('/members/me/passkeys', { challenge, attestation: authenticator.attest(challenge) })
    return { body: await passkeyBody(browser, authenticator) }
  },
  member_code_create: async ({ client }) => ({
    body: { email: (await newMember(client, ['VIEW'])).email },
  }),
  member_invitation_read: async (scene) => ({ body: { token: await invited(scene, 'ada@example.com') } }),
  member_invitation_accept: async (scene) => {
    const token = await invited(scene, 'katherine@example.com')
    const browser = new Browser(scene.client.baseUrl)
    const { challenge } = (await browser.post('/member-invitations/read', { token })).body.passkey
    const attestation = authenticatorOf(browser).attest(challenge)
    return { body: { token, passkey: { name: 'Laptop', challenge, attestation } } }
  },
}

/** The secret of a new invitation. */
async function invited({ client }: Scene, email: string): Promise<string> {
  const member = { name: 'Ada Lovelace', email, permissions: ['VIEW', 'APPROVE'] }
  return secretOf((await client.post('/members', member)).body.invitationUrl)
}

/** The calls about erasures, for which a customer has to be deleted. */
export const ERASURE_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call>>> = {
  customer_erase: async ({ client }) => ({ ids: { Customer: await deleted(client) } }),
  customer_erasure_get: async ({ client }) => {
    const id = await deleted(client)
    await client.post(`/customers/${id}/erasure`)
    return { ids: { Customer: id } }
  },
}

async function deleted(client: Scene['client']): Promise<string> {
  const { id } = (await client.post('/customers', PERSON)).body
  await client.send('DELETE', `/customers/${id}`)
  return id
}

/** Calls of an import of customers for the reference page. */
export const IMPORT_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  customer_import_create: () => ({ body: {} }),
  customer_import_get: async ({ client }) => {
    const { body } = await client.post('/customers/bulk/csv', {})
    await until(
      async () => (await client.get(`/customers/bulk/jobs/${body.jobId}`)).body,
      ({ status }) => status === 'COMPLETED',
    )
    return { ids: { CustomerImport: body.jobId } }
  },
}

/** Calls of a batch of payouts for the reference page. */
export const PAYOUT_CALLS: Calls = {
  payout_file_create: () => ({ body: { name: 'Payroll' } }),
  payout_batch_list: () => ({ query: { status: 'READY' } }),
  payout_line_list: checkedBatch,
  payout_batch_get: checkedBatch,
  payout_batch_execute: async (scene) => {
    const { payee } = await readyToPay(scene.client, 1000)
    const { id } = await sendLines(scene.client, [payout(payee, 100, { reference: 'salary-1' })])
    await checked(scene.client, id)
    return { ids: { PayoutBatch: id } }
  },
  payout_batch_cancel: checkedBatch,
}

async function checkedBatch({ client, ids }: Scene): Promise<Call> {
  const { id } = (await client.post('/payouts/batches', validBody('payout_batch_create', ids))).body
  await checked(client, id)
  return { ids: { PayoutBatch: id } }
}
