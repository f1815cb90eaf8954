import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id } from '../core/ids.ts'
import { OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { MESSAGE_STATES } from '../core/states.ts'

export const MESSAGE_CHANNELS = ['EMAIL', 'SMS'] as const

const MessageChannel = OneOfWords(MESSAGE_CHANNELS)

/** A message to a person, as it would have gone out (specification 5.6: the sandbox skips delivery alone). */
export const InboxMessage = Type.Object({
  id: Id('Message'),
  channel: MessageChannel,
  recipient: Type.String({ description: 'E-mail address, or phone number in E.164' }),
  customerId: Type.Optional(Id('Customer')),
  accountId: Id('InternalAccount', 'The wallet that the code signs in to'),
  credentialId: Id('AuthMethod', 'The credential that the code is for'),
  status: OneOfWords(MESSAGE_STATES),
  from: Type.Optional(
    Type.Object(
      { name: Type.Optional(Type.String()), address: Type.Optional(Type.String()) },
      { description: "EMAIL: the platform's own sender; what is missing is the server's" },
    ),
  ),
  replyTo: Type.Optional(Type.String({ description: 'EMAIL: where answers go, if the platform says so' })),
  subject: Type.Optional(Type.String({ description: 'EMAIL only' })),
  text: Type.Optional(Type.String({ description: 'The message, or its plain text part' })),
  html: Type.Optional(Type.String({ description: 'EMAIL: the HTML part' })),
  expiresAt: Timestamp('From here on the code in it is good for nothing'),
  deliveredAt: Type.Optional(Timestamp()),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

/** What would have gone out to people, newest first. */
export const sandbox_inbox_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/sandbox/inbox',
  tag: 'Sandbox',
  summary: 'List the messages to customers',
  description: 'The sandbox sends no e-mail and no SMS. What production would have sent is here to be seen.',
  sandboxOnly: true,
  query: Type.Object({
    recipient: Type.Optional(
      Text(255, { description: 'The whole e-mail address, in either case, or phone number' }),
    ),
    channel: Type.Optional(MessageChannel),
    customerId: Type.Optional(Id('Customer')),
    ...pageQuery,
  }),
  responses: { 200: Page(InboxMessage) },
  errors: ['INVALID_INPUT'],
})

export const inbox = { sandbox_inbox_list }
