import { ConnectorPayment } from '@countersign/contract/connectors/protocol'
import { readBody } from '@countersign/contract/connectors/reader'
import { isObject } from '@countersign/contract/core/decode'
import { readable } from '../formats/readable.ts'
import { plusSeconds } from '../op/app.ts'
import { present } from '../op/present.ts'
import type { RailAnswer } from '../ports/rail.ts'
import type { Answered } from './calls.ts'

/** When a payment was first given, and the current time. */
export interface Asking {
  readonly submittedAt: Date
  readonly now: Date
}

/** How long to wait for a report before asking, by the seconds since the payment was given. */
const ASK_AGAIN = {
  unknown: [
    [60, 5],
    [600, 30],
    [3600, 300],
    [Number.POSITIVE_INFINITY, 1800],
  ],
  accepted: [
    [600, 60],
    [3600, 600],
    [86_400, 3600],
    [Number.POSITIVE_INFINITY, 6 * 3600],
  ],
} as const

function askAgain(outcome: keyof typeof ASK_AGAIN, { submittedAt, now }: Asking): Date {
  const ageSeconds = (now.getTime() - submittedAt.getTime()) / 1000
  const [, seconds] = ASK_AGAIN[outcome].find(([until]) => ageSeconds < until)!
  return plusSeconds(now, seconds)
}

/** What became of a payment. Only a payment in an answer 200 says that; everything else leaves it unknown. */
export function outcomeOf(answer: Answered, asking: Asking): RailAnswer {
  if (answer.why !== undefined) return unknown(answer.why, asking)
  if (answer.status !== 200) return unknown(refusalOf(answer), asking)
  const { value, fault } = readBody(ConnectorPayment, answer.body)
  if (fault !== undefined) return unknown(`The connector answered wrongly: ${fault}`, asking)
  return outcomeOfPayment(value as ConnectorPayment, asking)
}

function unknown(why: string, asking: Asking): RailAnswer {
  return { outcome: 'unknown', askAgainAt: askAgain('unknown', asking), why }
}

function outcomeOfPayment({ status, failure, ...said }: ConnectorPayment, asking: Asking): RailAnswer {
  const named = present({ connectorReference: readable(said.connectorReference) })
  const transactionHash = readable(said.transactionHash)
  const failureReason = failure?.code ?? 'COUNTERPARTY_POST_TX_FAILED'
  const detail = readable(failure?.message) ?? `The bank says ${status}`
  switch (status) {
    case 'ACCEPTED':
      return { outcome: 'accepted', askAgainAt: askAgain('accepted', asking), ...named }
    case 'DELIVERED':
      return { outcome: 'delivered', ...named, ...(transactionHash === undefined ? {} : { transactionHash }) }
    case 'FAILED':
    case 'CANCELLED':
      return { outcome: 'failed', failureReason, detail }
    case 'RETURNED':
      return { outcome: 'returned', failureReason, detail, reason: 'TRANSACTION_FAILED' }
    case 'UNKNOWN':
      return unknown('The bank has not said', asking)
  }
}

/** The code of an answer other than 200. */
export function codeOf({ status, body }: Answered): string | undefined {
  return status !== 200 && isObject(body) && typeof body.code === 'string' ? body.code : undefined
}

/** An answer other than 200, in words. */
export function refusalOf(answer: Answered): string {
  return `The connector answered ${answer.status} ${codeOf(answer) ?? ''}`.trim()
}
