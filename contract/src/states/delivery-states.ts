export const MESSAGE_STATES = ['QUEUED', 'DELIVERED', 'FAILED'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

export const MESSAGE_EVENTS = ['deliver', 'fail'] as const
export type MessageEvent = (typeof MESSAGE_EVENTS)[number]

/** `deliver`: the mail server or the SMS gateway accepted the message. `fail`: there are no more attempts. */
export const MESSAGE_TRANSITIONS = {
  QUEUED: { deliver: 'DELIVERED', fail: 'FAILED' },
  DELIVERED: { deliver: null, fail: null },
  FAILED: { deliver: null, fail: null },
} as const satisfies Record<MessageState, Record<MessageEvent, MessageState | null>>
export const MESSAGE_INITIAL = 'QUEUED' satisfies MessageState

export const WEBHOOK_DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number]
export type WebhookDeliveryEvent = 'deliver' | 'retry' | 'fail'

/**
 * Results of an attempt to deliver an event.
 * - `retry`: another attempt follows.
 * - `fail`: it was the last one.
 *
 * A requested repetition is attempted again, but an event that was once received stays received.
 */
export const WEBHOOK_DELIVERY_TRANSITIONS = {
  PENDING: { deliver: 'DELIVERED', retry: 'PENDING', fail: 'FAILED' },
  DELIVERED: { deliver: 'DELIVERED', retry: 'DELIVERED', fail: 'DELIVERED' },
  FAILED: { deliver: 'DELIVERED', retry: 'FAILED', fail: 'FAILED' },
} as const satisfies Record<WebhookDeliveryState, Record<WebhookDeliveryEvent, WebhookDeliveryState | null>>
export const WEBHOOK_DELIVERY_INITIAL = 'PENDING' satisfies WebhookDeliveryState

export const WEBHOOK_ENDPOINT_STATES = ['ENABLED', 'PAUSED', 'DISABLED'] as const
export type WebhookEndpointState = (typeof WEBHOOK_ENDPOINT_STATES)[number]
export type WebhookEndpointEvent = 'enable' | 'pause' | 'disable'

/** An endpoint that receives events. `enable` and `pause`: by the platform. `disable`: by the server, see `disabledReason`. */
export const WEBHOOK_ENDPOINT_TRANSITIONS = {
  ENABLED: { enable: 'ENABLED', pause: 'PAUSED', disable: 'DISABLED' },
  PAUSED: { enable: 'ENABLED', pause: 'PAUSED', disable: null },
  DISABLED: { enable: 'ENABLED', pause: 'PAUSED', disable: null },
} as const satisfies Record<WebhookEndpointState, Record<WebhookEndpointEvent, WebhookEndpointState | null>>
export const WEBHOOK_ENDPOINT_INITIAL = 'ENABLED' satisfies WebhookEndpointState
