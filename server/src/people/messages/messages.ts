import { present } from '@countersign/contract/core/objects'
import type { InboxMessage } from '@countersign/contract/sandbox/inbox'
import { MESSAGE_INITIAL, MESSAGE_TRANSITIONS } from '@countersign/contract/states/delivery-states'
import type { Static } from 'typebox'
import { canSendFrom } from '../../base/settings/message-rules.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { ContactCodeRow } from '../../storage/rows/contact.ts'
import type { MemberRow } from '../../storage/rows/member.ts'
import type { MessageRow } from '../../storage/rows/sign-in.ts'
import type { CredentialRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import { getPlatformConfig } from '../platforms/platform-config.ts'
import { CHANNELS } from './channels.ts'
import {
  buildContactEmail,
  buildContactSms,
  buildMemberEmail,
  buildNoticeEmail,
  buildOtpEmail,
  buildOtpSms,
  type EmailContent,
  type Notice,
} from './message-content.ts'

/**
 * The part of a message that is stored encrypted: all text that contains the code, and the e-mail's headers.
 */
export type MessageContent = Partial<Omit<EmailContent, 'subject'>> & { readonly text: string }

/** The columns that reference the subject of a message. Each kind of message sets some of them. */
const NO_SUBJECT = {
  customer_id: null,
  account_id: null,
  credential_id: null,
  challenge_id: null,
  contact_code_id: null,
  member_code_id: null,
  member_id: null,
} as const

/** A notice older than a day is not sent, because it is outdated by then. */
const NOTICE_SECONDS = 24 * 60 * 60

/**
 * Builds the writes that create a message with a code and the job that sends it. They must follow the writes
 * of its credential and challenge; in the sandbox, they deliver the message to the inbox. The caller must
 * have checked `canDeliver`.
 */
export function makeOtpMessage(
  op: Op,
  credential: Pick<CredentialRow, 'id' | 'type' | 'contact'>,
  account: Pick<InternalAccountRow, 'id' | 'customer_id'>,
  challenge: { readonly challengeId: string; readonly code: string },
): Write[] {
  const { type, contact } = credential
  if ((type !== 'EMAIL_OTP' && type !== 'SMS_OTP') || contact === null)
    throw new Error(`${credential.id} is not a credential with delivered codes`)
  const config = removeForbiddenSender(op, getPlatformConfig(op).embeddedWalletConfig)
  const content =
    type === 'EMAIL_OTP'
      ? buildOtpEmail(config, challenge.code)
      : { text: buildOtpSms(config, challenge.code) }
  const target = {
    ...NO_SUBJECT,
    channel: CHANNELS[type],
    recipient: contact,
    customer_id: account.customer_id,
    account_id: account.id,
    credential_id: credential.id,
    challenge_id: challenge.challengeId,
    expires_at: addSeconds(op.now, config.expirationSeconds),
  }
  return makeMessage(op, target, content)
}

/**
 * Builds the writes of a message with a code that verifies a customer's contact. They must follow the write
 * of the code. The caller must have checked `canDeliver`.
 */
export function makeContactMessage(op: Op, sent: ContactCodeRow, code: string): Write[] {
  const { channel, contact, customer_id, expires_at } = sent
  const config = removeForbiddenSender(op, getPlatformConfig(op).embeddedWalletConfig)
  const seconds = (expires_at.getTime() - op.now.getTime()) / 1000
  const content =
    channel === 'EMAIL'
      ? buildContactEmail(config, code, seconds)
      : { text: buildContactSms(config, code, seconds) }
  const target = {
    ...NO_SUBJECT,
    channel,
    recipient: contact,
    customer_id,
    contact_code_id: sent.id,
    expires_at,
  }
  return makeMessage(op, target, content)
}

/**
 * Builds the writes of an e-mail with a code that signs a team member in. They must follow the write of the
 * code. The caller must have checked `canDeliver`.
 */
export function makeMemberMessage(
  op: Op,
  { email, codeId, seconds }: { readonly email: string; readonly codeId: string; readonly seconds: number },
  code: string,
): Write[] {
  const config = removeForbiddenSender(op, getPlatformConfig(op).embeddedWalletConfig)
  const target = {
    ...NO_SUBJECT,
    channel: 'EMAIL',
    recipient: email,
    member_code_id: codeId,
    expires_at: addSeconds(op.now, seconds),
  } as const
  return makeMessage(op, target, buildMemberEmail(config, op.platform.name, code, seconds))
}

/**
 * Builds the writes of an e-mail that notifies a team member about an event. The caller must have checked
 * `canDeliver`.
 */
export function makeNotice(op: Op, { id, email }: Pick<MemberRow, 'id' | 'email'>, notice: Notice): Write[] {
  const config = removeForbiddenSender(op, getPlatformConfig(op).embeddedWalletConfig)
  const target = {
    ...NO_SUBJECT,
    channel: 'EMAIL',
    recipient: email,
    member_id: id,
    expires_at: addSeconds(op.now, NOTICE_SECONDS),
  } as const
  return makeMessage(op, target, buildNoticeEmail(config, op.platform.name, notice))
}

/** The recipient and the subject of a message. */
type MessageTarget = Pick<MessageRow, 'channel' | 'recipient' | 'expires_at' | keyof typeof NO_SUBJECT>

function makeMessage(
  op: Op,
  target: MessageTarget,
  { subject, ...content }: MessageContent & { readonly subject?: string },
): Write[] {
  const id = op.newId('Message')
  const isSandbox = op.mode === 'sandbox'
  const row: MessageRow = {
    ...target,
    id,
    platform_id: op.platform.id,
    state: isSandbox ? MESSAGE_TRANSITIONS[MESSAGE_INITIAL].deliver : MESSAGE_INITIAL,
    subject: subject ?? null,
    sealed_content: op.enclave.sealText('message', id, JSON.stringify(content)),
    attempts: 0,
    failure_reason: null,
    delivered_at: isSandbox ? op.now : null,
    created_at: op.now,
    updated_at: op.now,
  }
  return [
    insert('messages', row),
    ...(isSandbox ? [] : [job(op, 'message.deliver', { messageId: id }, op.now)]),
  ]
}

/** Removes the platform's own sender if the operator does not allow it, so that the server's is used. */
function removeForbiddenSender(op: Op, config: WalletConfig): WalletConfig {
  const { sendFromEmailAddress, ...others } = config
  if (sendFromEmailAddress === undefined) return config
  return canSendFrom(op.messageRules, op.platform.id, sendFromEmailAddress) ? config : others
}

type WalletConfig = ReturnType<typeof getPlatformConfig>['embeddedWalletConfig']

/** Ends a queued message, and deletes the code that it contains. */
export function endMessage(
  op: Op,
  message: MessageRow,
  end: { readonly attempts: number } & (
    | { readonly event: 'deliver' }
    | { readonly event: 'fail'; readonly reason: NonNullable<MessageRow['failure_reason']> }
  ),
): Write {
  const { attempts } = end
  const outcome = end.event === 'deliver' ? { delivered_at: op.now } : { failure_reason: end.reason }
  const change = { ...outcome, attempts, sealed_content: null }
  return transition(op, 'messages', MESSAGE_TRANSITIONS, message, end.event, change).write
}

/** Decrypts the content of a message. Undefined once it was deleted. */
export function readContent(op: Pick<Op, 'enclave'>, message: MessageRow): MessageContent | undefined {
  if (!message.sealed_content) return undefined
  return JSON.parse(op.enclave.openText('message', message.id, message.sealed_content)) as MessageContent
}

/** A message as the inbox shows it. */
export function toMessageView(op: Pick<Op, 'enclave'>, row: MessageRow): Static<typeof InboxMessage> {
  const content = readContent(op, row)
  return present({
    id: row.id,
    channel: row.channel,
    recipient: row.recipient,
    customerId: row.customer_id,
    accountId: row.account_id,
    credentialId: row.credential_id,
    status: row.state,
    from: content?.from,
    replyTo: content?.replyTo,
    subject: row.subject,
    text: content?.text,
    html: content?.html,
    expiresAt: row.expires_at.toISOString(),
    deliveredAt: row.delivered_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
