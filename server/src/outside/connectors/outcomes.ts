import { ConnectorPayment } from '@countersign/contract/connectors/protocol'
import { readBody } from '@countersign/contract/connectors/reader'
import { isObject } from '@countersign/contract/core/decode'
import { present } from '@countersign/contract/core/objects'
import { toReadableLine } from '../../base/formats/readable-text.ts'
import type { RailAnswer, RailReply } from '../../kernel/ports/rail.ts'
import { askAgainAt, type PollTimes } from '../../money/rails/ask-again.ts'
import type { Answered } from './signed-call.ts'

/**
 * Reads a connector's reply about the payment `id`. Only a payment in a 200 response states an outcome; after
 * any other reply, the outcome is unknown.
 */
export function replyOf(answer: Answered, id: string, asking: PollTimes): RailReply {
  if (answer.why !== undefined) return { subject: id, ...toUnknown(answer.why, asking) }
  if (answer.status !== 200) return { subject: id, ...toUnknown(refusalOf(answer), asking) }
  const { value, fault } = readBody(ConnectorPayment, answer.body)
  if (fault !== undefined)
    return { subject: id, ...toUnknown(`The connector's response is invalid: ${fault}`, asking) }
  return { subject: value.id, ...outcomeOfPayment(value, asking) }
}

function toUnknown(detail: string, asking: PollTimes): RailAnswer {
  return { outcome: 'unknown', askAgainAt: askAgainAt('unknown', asking), why: detail }
}

function outcomeOfPayment({ status, failure, ...said }: ConnectorPayment, asking: PollTimes): RailAnswer {
  const named = present({ connectorReference: toReadableLine(said.connectorReference) })
  const transactionHash = toReadableLine(said.transactionHash)
  const failureReason = failure?.code ?? 'COUNTERPARTY_POST_TX_FAILED'
  const detail = toReadableLine(failure?.message) ?? `The bank says ${status}`
  switch (status) {
    case 'ACCEPTED':
      return { outcome: 'accepted', askAgainAt: askAgainAt('accepted', asking), ...named }
    case 'DELIVERED':
      return { outcome: 'delivered', ...named, ...(transactionHash === undefined ? {} : { transactionHash }) }
    case 'FAILED':
      return { outcome: 'failed', failureReason, detail }
    case 'CANCELLED':
      return { outcome: 'cancelled', failureReason, detail }
    case 'RETURNED':
      return { outcome: 'returned', failureReason, detail, reason: 'TRANSACTION_FAILED' }
    case 'UNKNOWN':
      return toUnknown('The outcome of the payment is unknown', asking)
  }
}

/** The error code of a response other than 200. */
export function codeOf({ status, body }: Answered): string | undefined {
  return status !== 200 && isObject(body) && typeof body.code === 'string' ? body.code : undefined
}

/** Describes a response other than 200, for people. */
export function refusalOf(answer: Answered): string {
  return `The connector returned ${answer.status} ${codeOf(answer) ?? ''}`.trim()
}
