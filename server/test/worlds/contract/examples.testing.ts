import type { EndpointName } from '@countersign/contract/api'
import { type Client, type Reply, type SignedIn, until } from '../client.testing.ts'
import {
  beginNewVerification,
  fundPlatform,
  newEuroAccount,
  newMandateWithAccount,
  newPendingChange,
} from '../records/external-accounts.testing.ts'
import {
  Browser,
  buildPasskeyBody,
  createAuthenticator,
  newMember,
  newRole,
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
  preparePayouts,
  schedule,
  sendLines,
  withdrawal,
} from '../records/payouts.testing.ts'
import {
  cancelWaitingKeys,
  movement,
  newFundedVault,
  newMovement,
  newVault,
  newWaitingKey,
} from '../records/treasury.testing.ts'
import type { Ids } from './bodies.testing.ts'
import { buildValidBody, type World } from './calls.testing.ts'
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
  /** The browser that makes the call, if it is not the browser of the world's team member. */
  readonly browser?: Browser
  /** True if the preparation has already made the call. */
  readonly isMade?: boolean
}

interface Setup {
  readonly client: Client
  readonly ids: Ids
}

const buildScheduleBody = (ids: Ids) => buildValidBody('payment_schedule_create', ids) as object
const toScheduleIds = ({ id }: Reply['body']) => ({ PaymentSchedule: String(id) })

async function createActiveSchedule({ client, ids }: Setup) {
  return toScheduleIds(await schedule(client, buildScheduleBody(ids)))
}

async function createPausedSchedule(setup: Setup) {
  const ids = await createActiveSchedule(setup)
  await change(setup.client, ids.PaymentSchedule, 'pause')
  return ids
}

async function createApprovableSchedule({ client, ids }: Setup) {
  return toScheduleIds(await approvableSchedule(client, buildScheduleBody(ids)))
}

/** The schedule that each call needs. */
const SCHEDULE_PREPARATIONS = {
  payment_schedule_approve: createApprovableSchedule,
  payment_schedule_skip: createActiveSchedule,
  payment_schedule_pause: createActiveSchedule,
  payment_schedule_resume: createPausedSchedule,
  payment_schedule_cancel: createActiveSchedule,
}

/** Has no fixed dates, so that the dates on the reference page stay near the time of the calls. */
const buildExampleSchedule = (ids: Ids) => ({
  ...buildScheduleBody(ids),
  rule: { type: 'WEEKLY', weekdays: ['FRI'] },
  startDate: undefined,
})

/** Creates a schedule and prepares it for the call. */
const withSchedule =
  (what?: 'pause' | 'skip') =>
  async ({ client, ids }: Scene): Promise<Call> => {
    const scheduleId = toScheduleIds(await schedule(client, buildExampleSchedule(ids)))
    if (what) await change(client, scheduleId.PaymentSchedule, what)
    return { ids: scheduleId }
  }

/** Calls about payment schedules, for the reference page. */
export const SCHEDULE_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  payment_schedule_create: ({ ids }) => ({ body: buildExampleSchedule(ids) }),
  payment_schedule_list: () => ({ query: { status: 'ACTIVE' } }),
  payment_schedule_get: withSchedule(),
  payment_schedule_approve: async ({ client, ids }) => ({
    ids: toScheduleIds(await approvableSchedule(client, buildExampleSchedule(ids))),
  }),
  payment_schedule_skip: withSchedule(),
  payment_schedule_pause: withSchedule(),
  payment_schedule_resume: withSchedule('pause'),
  payment_schedule_cancel: withSchedule(),
  payment_occurrence_list: withSchedule('skip'),
}

const createAccountChange = async ({ client }: Setup) => ({
  AccountChange: (await newPendingChange(client)).id,
})
const createUnverifiedAccount = async ({ client, ids }: Setup) => {
  await fundPlatform(client)
  const created = await client.post(
    '/customers/external-accounts',
    buildValidBody('customer_external_account_create', ids),
  )
  return { ExternalAccount: created.body.id as string }
}
const createVerification = async ({ client }: Setup) => ({
  AccountVerification: (await beginNewVerification(client)).id,
})
const createDebitAccount = async ({ client, ids }: Setup) => ({
  ExternalAccount: await newEuroAccount(client, ids.Customer ?? ''),
})
const createMandate = async (setup: Setup) => ({
  Mandate: (await newMandateWithAccount(setup.client, setup.ids)).id,
})
const createWaitingAccount = (setup: Setup) => newOwnAccount(setup, { needsApproval: true })

/** The records that each call needs, including schedules. */
export const RECORD_PREPARATIONS = {
  ...SCHEDULE_PREPARATIONS,
  own_account_create: newExternal,
  own_account_approve: createWaitingAccount,
  own_account_remove: newOwnAccount,
  platform_withdrawal_approve: newWithdrawal,
  platform_withdrawal_cancel: newWithdrawal,
  treasury_movement_create: newVault,
  treasury_movement_approve: newMovement,
  treasury_movement_cancel: newMovement,
  treasury_key_approve: newWaitingKey,
  treasury_key_cancel: newWaitingKey,
  treasury_key_create: cancelWaitingKeys,
  sandbox_treasury_return: newFundedVault,
  mandate_create: createDebitAccount,
  mandate_cancel: createMandate,
  account_change_apply: createAccountChange,
  account_change_dismiss: createAccountChange,
  account_verification_create: createUnverifiedAccount,
  account_verification_confirm: createVerification,
}

const withRecords = (prepare: (setup: Setup) => Promise<Ids>) => async (scene: Scene) => ({
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
  own_account_approve: withRecords(createWaitingAccount),
  own_account_remove: withRecords(newOwnAccount),
  platform_withdrawal_create: async (scene) => {
    const { OwnAccount } = await newWithdrawal(scene)
    return { body: withdrawal(OwnAccount, 2500) }
  },
  platform_withdrawal_approve: withRecords(newWithdrawal),
  platform_withdrawal_cancel: withRecords(newWithdrawal),
  treasury_movement_create: async (scene) => {
    const { OwnAccount } = await newVault(scene)
    return { body: movement(OwnAccount, 2500) }
  },
  treasury_movement_approve: withRecords(newMovement),
  treasury_movement_cancel: withRecords(newMovement),
  treasury_key_create: withRecords(cancelWaitingKeys),
  treasury_key_approve: withRecords(newWaitingKey),
  treasury_key_cancel: withRecords(newWaitingKey),
  mandate_create: async (scene) => {
    const { ExternalAccount } = await createDebitAccount(scene)
    return {
      body: { externalAccountId: ExternalAccount, reference: 'MANDATE-2026-0007', signedOn: '2026-02-27' },
    }
  },
  mandate_list: async ({ client, ids }) => ({
    query: { externalAccountId: (await newMandateWithAccount(client, ids)).externalAccountId },
  }),
  mandate_get: withRecords(createMandate),
  mandate_cancel: withRecords(createMandate),
  account_change_get: withRecords(createAccountChange),
  account_change_apply: withRecords(createAccountChange),
  account_change_dismiss: withRecords(createAccountChange),
  account_verification_create: async (scene) => {
    const { ExternalAccount } = await createUnverifiedAccount(scene)
    return { body: { externalAccountId: ExternalAccount } }
  },
  account_verification_list: async (scene) => {
    await createVerification(scene)
    return { query: { status: 'PENDING' } }
  },
  account_verification_get: withRecords(createVerification),
  account_verification_confirm: withRecords(createVerification),
  sandbox_treasury_return: async (scene) => {
    const { OwnAccount } = await newFundedVault(scene)
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
    const attestation = createAuthenticator(browser).attest(challenge)
    return { browser, body: { name: 'Laptop', challenge, attestation } }
  },
  member_sign_in: async ({ client }) => {
    const { browser } = await newMember(client, ['VIEW', 'APPROVE'])
    const authenticator = createAuthenticator(browser)
    const { challenge } = (await browser.post('/members/me/passkeys/challenge')).body
    await browser.post('/members/me/passkeys', { challenge, attestation: authenticator.attest(challenge) })
    return { body: await buildPasskeyBody(browser, authenticator) }
  },
  member_code_create: async ({ client }) => ({
    body: { email: (await newMember(client, ['VIEW'])).email },
  }),
  member_invitation_read: async (scene) => ({ body: { token: await invite(scene, 'ada@example.com') } }),
  member_invitation_accept: async (scene) => {
    const token = await invite(scene, 'katherine@example.com')
    const browser = new Browser(scene.client.baseUrl)
    const { challenge } = (await browser.post('/member-invitations/read', { token })).body.passkey
    const attestation = createAuthenticator(browser).attest(challenge)
    return { body: { token, passkey: { name: 'Laptop', challenge, attestation } } }
  },
}

/** Creates an invitation and returns its secret. */
async function invite({ client }: Scene, email: string): Promise<string> {
  const member = { name: 'Ada Lovelace', email, permissions: ['VIEW', 'APPROVE'] }
  return secretOf((await client.post('/members', member)).body.invitationUrl)
}

/** Calls about erasures, which need a deleted customer. */
export const ERASURE_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call>>> = {
  customer_erase: async ({ client }) => ({ ids: { Customer: await createDeletedCustomer(client) } }),
  customer_erasure_get: async ({ client }) => {
    const id = await createDeletedCustomer(client)
    await client.post(`/customers/${id}/erasure`)
    return { ids: { Customer: id } }
  },
}

async function createDeletedCustomer(client: Scene['client']): Promise<string> {
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
  payout_line_list: withCheckedBatch,
  payout_batch_get: withCheckedBatch,
  payout_batch_execute: async (scene) => {
    const { payee } = await preparePayouts(scene.client, 1000)
    const { id } = await sendLines(scene.client, [payout(payee, 100, { reference: 'salary-1' })])
    await checked(scene.client, id)
    return { ids: { PayoutBatch: id } }
  },
  payout_batch_cancel: withCheckedBatch,
}

async function withCheckedBatch({ client, ids }: Scene): Promise<Call> {
  const { id } = (await client.post('/payouts/batches', buildValidBody('payout_batch_create', ids))).body
  await checked(client, id)
  return { ids: { PayoutBatch: id } }
}
