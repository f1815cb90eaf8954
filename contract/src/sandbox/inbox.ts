import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id } from '../core/ids.ts'
import { OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { MESSAGE_STATES } from '../states/delivery-states.ts'

export const MESSAGE_CHANNELS = ['EMAIL', 'SMS'] as const

const MessageChannel = OneOfWords(MESSAGE_CHANNELS)

/** A message as it would be sent in production (specification 5.6: the sandbox only skips the delivery). */
export const InboxMessage = Type.Object({
  id: Id('Message'),
  channel: MessageChannel,
  recipient: Type.String({ description: 'E-mail address, or phone number in E.164' }),
  customerId: Type.Optional(Id('Customer')),
  accountId: Type.Optional(Id('InternalAccount', 'The wallet to which the code signs in')),
  credentialId: Type.Optional(
    Id(
      'AuthMethod',
      'The credential that the code belongs to. Absent if the code verifies the recipient or signs a member in',
    ),
  ),
  status: OneOfWords(MESSAGE_STATES),
  from: Type.Optional(
    Type.Object(
      { name: Type.Optional(Type.String()), address: Type.Optional(Type.String()) },
      { description: "EMAIL: the platform's own sender; missing fields are the server's" },
    ),
  ),
  replyTo: Type.Optional(
    Type.String({ description: 'EMAIL: the address for replies, if the platform sets one' }),
  ),
  subject: Type.Optional(Secret(Type.String({ description: 'EMAIL only' }))),
  text: Type.Optional(Secret(Type.String({ description: 'The text, or the plain text part' }))),
  html: Type.Optional(Secret(Type.String({ description: 'EMAIL: the HTML part' }))),
  expiresAt: Timestamp('The time at which its code expires'),
  deliveredAt: Type.Optional(Timestamp()),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

/** The messages that would have been sent in production, newest first. */
export const sandbox_inbox_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/sandbox/inbox',
  tag: 'Sandbox',
  summary: 'List the messages in the inbox',
  description:
    'Lists the codes and messages that production would send, newest first. The sandbox sends no e-mail ' +
    'or SMS. The code that signs in a member is shown to callers who have every permission of that ' +
    'member.',
  sandboxOnly: true,
  query: Type.Object({
    recipient: Type.Optional(
      Text(255, { description: 'The exact phone number or e-mail address, ignoring case' }),
    ),
    channel: Type.Optional(MessageChannel),
    customerId: Type.Optional(Id('Customer')),
    ...pageQuery,
  }),
  responses: { 200: Page(InboxMessage) },
  errors: ['INVALID_INPUT'],
})

export const inbox = { sandbox_inbox_list }
