import type { EndpointName } from '@countersign/contract/api'
import { type Client, type Reply, type SignedIn, until } from '../client.testing.ts'
import { pendingChange } from '../records/account-changes.testing.ts'
import { begunVerification, fundPlatform } from '../records/account-verifications.testing.ts'
import { mandateOfNew, newEuroAccount } from '../records/mandates.testing.ts'
import {
  authenticatorOf,
  Browser,
  newMember,
  newRole,
  passkeyBody,
  secretOf,
} from '../records/members.testing.ts'
import { PERSON } from '../records/onboarding.testing.ts'
import {
  approvableSchedule,
  change,
  checked,
  newExternal,
  newOwnAccount,
  newWithdrawal,
  payout,
  readyToPay,
  schedule,
  sendLines,
  withdrawal,
} from '../records/payouts.testing.ts'
import {
  movement,
  newFullVault,
  newMovement,
  newVault,
  newWaitingKey,
  withoutWaitingKey,
} from '../records/treasury.testing.ts'
import type { Ids } from './bodies.testing.ts'
import { validBody, type World } from './calls.testing.ts'
import type { RecordingClient } from './recording-client.testing.ts'

export interface Scene extends World {
  readonly client: RecordingClient
  readonly session: SignedIn
}

/** The complete call of an endpoint, or its differences from the default one. */
export interface Call {
  readonly ids?: Ids
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly sign?: boolean
  /** The browser that makes the call, if not the world's team member's. */
  readonly browser?: Browser
  /** True if the preparation has already made the call. */
  readonly isMade?: boolean
}

interface Setup {
  readonly client: Client
  readonly ids: Ids
}

const bodyFor = (ids: Ids) => validBody('payment_schedule_create', ids) as object
const idOf = ({ id }: Reply['body']) => ({ PaymentSchedule: String(id) })

async function active({ client, ids }: Setup) {
  return idOf(await schedule(client, bodyFor(ids)))
}

async function paused(place: Setup) {
  const ids = await active(place)
  await change(place.client, ids.PaymentSchedule, 'pause')
  return ids
}

async function approvable({ client, ids }: Setup) {
  return idOf(await approvableSchedule(client, bodyFor(ids)))
}

/** The schedule that each call needs. */
export const SCHEDULE_PREPARATIONS = {
  payment_schedule_approve: approvable,
  payment_schedule_skip: active,
  payment_schedule_pause: active,
  payment_schedule_resume: paused,
  payment_schedule_cancel: active,
}

/** Near dates, so that on the reference page they are just as near to the time of the calls. */
const example = (ids: Ids) => ({
  ...bodyFor(ids),
  rule: { type: 'WEEKLY', weekdays: ['FRI'] },
  startDate: undefined,
})

/** Creates a schedule and prepares it for the call. */
const after =
  (what?: 'pause' | 'skip') =>
  async ({ client, ids }: Scene): Promise<Call> => {
    const scheduleId = idOf(await schedule(client, example(ids)))
    if (what) await change(client, scheduleId.PaymentSchedule, what)
    return { ids: scheduleId }
  }

/** Calls about payment schedules, for the reference page. */
export const SCHEDULE_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  payment_schedule_create: ({ ids }) => ({ body: example(ids) }),
  payment_schedule_list: () => ({ query: { status: 'ACTIVE' } }),
  payment_schedule_get: after(),
  payment_schedule_approve: async ({ client, ids }) => ({
    ids: idOf(await approvableSchedule(client, example(ids))),
  }),
  payment_schedule_skip: after(),
  payment_schedule_pause: after(),
  payment_schedule_resume: after('pause'),
  payment_schedule_cancel: after(),
  payment_occurrence_list: after('skip'),
}

const newChange = async ({ client }: Setup) => ({ AccountChange: (await pendingChange(client)).id })
const unverified = async ({ client, ids }: Setup) => {
  await fundPlatform(client)
  const created = await client.post(
    '/customers/external-accounts',
    validBody('customer_external_account_create', ids),
  )
  return { ExternalAccount: created.body.id as string }
}
const verifying = async ({ client }: Setup) => ({ AccountVerification: (await begunVerification(client)).id })
const debited = async ({ client, ids }: Setup) => ({
  ExternalAccount: await newEuroAccount(client, ids.Customer ?? ''),
})
const withMandate = async (place: Setup) => ({ Mandate: (await mandateOfNew(place.client, place.ids)).id })
const waitingAccount = (place: Setup) => newOwnAccount(place, { needsApproval: true })

/** The records that each call needs, including schedules. */
export const RECORD_PREPARATIONS = {
  ...SCHEDULE_PREPARATIONS,
  own_account_create: newExternal,
  own_account_approve: waitingAccount,
  own_account_remove: newOwnAccount,
  platform_withdrawal_approve: newWithdrawal,
  platform_withdrawal_cancel: newWithdrawal,
  treasury_movement_create: newVault,
  treasury_movement_approve: newMovement,
  treasury_movement_cancel: newMovement,
  treasury_key_approve: newWaitingKey,
  treasury_key_cancel: newWaitingKey,
  treasury_key_create: withoutWaitingKey,
  sandbox_treasury_return: newFullVault,
  mandate_create: debited,
  mandate_cancel: withMandate,
  account_change_apply: newChange,
  account_change_dismiss: newChange,
  account_verification_create: unverified,
  account_verification_confirm: verifying,
}

const call = (prepare: (place: Setup) => Promise<Ids>) => async (scene: Scene) => ({
  ids: await prepare(scene),
})

/** Calls about the operator's own money, for the reference page. */
export const OWN_MONEY_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  own_account_create: async (scene) => {
    const { ExternalAccount } = await newExternal(scene)
    return {
      body: {
        externalAccountId: ExternalAccount,
        reason: 'Our account at the house bank',
        sweep: { source: 'FEES', minimum: 100_000 },
      },
    }
  },
  own_account_approve: call(waitingAccount),
  own_account_remove: call(newOwnAccount),
  platform_withdrawal_create: async (scene) => {
    const { OwnAccount } = await newWithdrawal(scene)
    return { body: withdrawal(OwnAccount, 2500) }
  },
  platform_withdrawal_approve: call(newWithdrawal),
  platform_withdrawal_cancel: call(newWithdrawal),
  treasury_movement_create: async (scene) => {
    const { OwnAccount } = await newVault(scene)
    return { body: movement(OwnAccount, 2500) }
  },
  treasury_movement_approve: call(newMovement),
  treasury_movement_cancel: call(newMovement),
  treasury_key_create: call(withoutWaitingKey),
  treasury_key_approve: call(newWaitingKey),
  treasury_key_cancel: call(newWaitingKey),
  mandate_create: async (scene) => {
    const { ExternalAccount } = await debited(scene)
    return {
      body: { externalAccountId: ExternalAccount, reference: 'MANDATE-2026-0007', signedOn: '2026-02-27' },
    }
  },
  mandate_list: async ({ client, ids }) => ({
    query: { externalAccountId: (await mandateOfNew(client, ids)).externalAccountId },
  }),
  mandate_get: call(withMandate),
  mandate_cancel: call(withMandate),
  account_change_get: call(newChange),
  account_change_apply: call(newChange),
  account_change_dismiss: call(newChange),
  account_verification_create: async (scene) => {
    const { ExternalAccount } = await unverified(scene)
    return { body: { externalAccountId: ExternalAccount } }
  },
  account_verification_list: async (scene) => {
    await verifying(scene)
    return { query: { status: 'PENDING' } }
  },
  account_verification_get: call(verifying),
  account_verification_confirm: call(verifying),
  sandbox_treasury_return: async (scene) => {
    const { OwnAccount } = await newFullVault(scene)
    return { body: { ownAccountId: OwnAccount, amount: 500 } }
  },
}

/** Calls about webhook endpoints that need special records or bodies. */
export const WEBHOOK_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  webhook_endpoint_create: () => ({
    body: {
      url: 'https://books.example.com/events',
      description: 'Bookkeeping',
      eventTypes: ['OUTGOING_PAYMENT.COMPLETED', 'INCOMING_PAYMENT.COMPLETED'],
    },
  }),
  webhook_endpoint_delete: async ({ client }) => {
    const { id } = await client.call('webhook_endpoint_create', { body: { url: 'https://example.com/hook' } })
    return { ids: { WebhookEndpoint: id } }
  },
}

type Calls = Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>>

/** Calls about team members and about actions. See `CALLS` in `example-world.testing.ts`. */
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

/** Creates an invitation and returns its secret. */
async function invited({ client }: Scene, email: string): Promise<string> {
  const member = { name: 'Ada Lovelace', email, permissions: ['VIEW', 'APPROVE'] }
  return secretOf((await client.post('/members', member)).body.invitationUrl)
}

/** Calls about erasures, which need a deleted customer. */
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

/** Calls about customer imports, for the reference page. */
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

/** Calls about payout batches, for the reference page. */
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
