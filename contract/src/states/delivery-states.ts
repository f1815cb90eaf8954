export const MESSAGE_STATES = ['QUEUED', 'DELIVERED', 'FAILED'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

export const MESSAGE_EVENTS = ['deliver', 'fail'] as const
export type MessageEvent = (typeof MESSAGE_EVENTS)[number]

/** `deliver`: the mail server or SMS gateway has accepted the message. `fail`: all attempts have failed. */
export const MESSAGE_TRANSITIONS = {
  QUEUED: { deliver: 'DELIVERED', fail: 'FAILED' },
  DELIVERED: { deliver: null, fail: null },
  FAILED: { deliver: null, fail: null },
} as const satisfies Record<MessageState, Record<MessageEvent, MessageState | null>>
export const MESSAGE_INITIAL = 'QUEUED' satisfies MessageState

export const DISABLED_REASONS = ['GONE', 'UNREACHABLE'] as const

export const WEBHOOK_ENDPOINT_STATES = ['ENABLED', 'PAUSED', 'DISABLED'] as const
export type WebhookEndpointState = (typeof WEBHOOK_ENDPOINT_STATES)[number]
export type WebhookEndpointEvent = 'enable' | 'pause' | 'disable'

/**
 * The states of a webhook endpoint. The platform causes `enable` and `pause`, the server `disable` (see
 * `disabledReason`).
 */
export const WEBHOOK_ENDPOINT_TRANSITIONS = {
  ENABLED: { enable: 'ENABLED', pause: 'PAUSED', disable: 'DISABLED' },
  PAUSED: { enable: 'ENABLED', pause: 'PAUSED', disable: null },
  DISABLED: { enable: 'ENABLED', pause: 'PAUSED', disable: null },
} as const satisfies Record<WebhookEndpointState, Record<WebhookEndpointEvent, WebhookEndpointState | null>>
export const WEBHOOK_ENDPOINT_INITIAL = 'ENABLED' satisfies WebhookEndpointState
