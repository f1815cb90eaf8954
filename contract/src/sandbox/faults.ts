import { type Static, Type } from 'typebox'
import { findWord } from '../core/objects.ts'
import { OneOfWords, Pattern, Text } from '../core/schema.ts'
import { EVENT_TYPES } from '../events/events.ts'

export const FAULT_ERRORS = [409, 429, 500, 503] as const
export const FAULT_DELAY_MS_MAX = 60_000
export const WEBHOOK_FAULTS = ['duplicate', 'reorder'] as const

export type FaultError = (typeof FAULT_ERRORS)[number]
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number]

/** A fault to inject into a call, or into the events that it causes. */
export interface Fault {
  /** The connection is closed instead of sending the response. The call's changes are committed. */
  readonly losesResponse?: true
  /** The delay of the response. */
  readonly delayMs?: number
  /** The call fails with this status before it does anything. */
  readonly error?: FaultError
  readonly webhook?: WebhookFault
}

const PART_PATTERN = [
  'lost-answer',
  'delay=[0-9]{1,5}',
  `error=(?:${FAULT_ERRORS.join('|')})`,
  `webhook=(?:${WEBHOOK_FAULTS.join('|')})`,
].join('|')

export const FAULT_PATTERN = `^(?:${PART_PATTERN})(?:, ?(?:${PART_PATTERN}))*$`
const FAULT_REGEXP = new RegExp(FAULT_PATTERN)

export const FAULT_IN_WORDS =
  `lost-answer, delay= with milliseconds up to ${FAULT_DELAY_MS_MAX}, ` +
  `error= with ${FAULT_ERRORS.join(', ')}, webhook= with ${WEBHOOK_FAULTS.join(' or ')}, ` +
  'or several of them with commas'

/** Parses a fault from a header or rule. Undefined if it is malformed or names the same part twice. */
export function parseFault(text: string): Fault | undefined {
  if (!FAULT_REGEXP.test(text)) return undefined
  const parts = text.split(/, ?/).map((part) => part.split('='))
  const values = new Map(parts.map(([name = '', value]) => [name, value]))
  const delayMs = values.get('delay')
  if (values.size < parts.length || Number(delayMs ?? 0) > FAULT_DELAY_MS_MAX) return undefined
  const error = FAULT_ERRORS.find((status) => String(status) === values.get('error'))
  const webhook = findWord(WEBHOOK_FAULTS, values.get('webhook'))
  return {
    ...(values.has('lost-answer') ? { losesResponse: true } : {}),
    ...(delayMs === undefined ? {} : { delayMs: Number(delayMs) }),
    ...(error === undefined ? {} : { error }),
    ...(webhook === undefined ? {} : { webhook }),
  }
}

export const FAULT_RULES_MAX = 20
export const FAULT_TIMES_MAX = 10_000

/** A sandbox fault for the calls or webhooks that match the rule. */
export const FaultRule = Type.Object({
  fault: Pattern(FAULT_PATTERN, {
    maxLength: 64,
    patternText: FAULT_IN_WORDS,
    description:
      'The fault: lost-answer, delay=MILLISECONDS, error=409, 429, 500 or 503, webhook=duplicate or webhook=reorder; ' +
      'separate several with commas; webhook faults stand alone',
  }),
  operation: Type.Optional(
    Text(64, { description: 'The calls to this operation, such as quote_create. Default: all calls' }),
  ),
  eventType: Type.Optional(
    OneOfWords(EVENT_TYPES, 'With webhook=: the events of this type. Default: all events'),
  ),
  times: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: FAULT_TIMES_MAX,
      description:
        'The remaining number of times, after which the rule is removed. Default: until you remove it',
    }),
  ),
})

export type FaultRule = Static<typeof FaultRule>
