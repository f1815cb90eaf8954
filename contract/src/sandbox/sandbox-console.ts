import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'

/** A link that signs in to the console. */
export const SandboxConsoleLink = Type.Object({
  url: Secret(Type.String({ description: 'The link. It works once' })),
  expiresAt: Timestamp(),
})

export const sandbox_console_link = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/sandbox/console-links',
  tag: 'Sandbox',
  summary: 'Create a link to the console',
  description:
    'Creates a link that opens the console as the first member with every permission, who is created if ' +
    'missing. The link works once, within one hour. The caller needs every permission too. Does not ' +
    'exist in production.',
  sandboxOnly: true,
  responses: { 201: SandboxConsoleLink },
  errors: ['FORBIDDEN'],
})

export const sandboxConsole = { sandbox_console_link }
