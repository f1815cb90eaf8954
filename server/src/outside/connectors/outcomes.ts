import { ConnectorPayment } from '@countersign/contract/connectors/protocol'
import { readBody } from '@countersign/contract/connectors/reader'
import { isObject } from '@countersign/contract/core/decode'
import { present } from '@countersign/contract/core/objects'
import { toReadableLine } from '../../base/formats/readable-text.ts'
import type { RailReply, RailResult } from '../../kernel/ports/rail.ts'
import { computeNextPollAt, type PollTimes } from '../../money/rails/ask-again.ts'
import type { ConnectorResponse } from './signed-call.ts'

/**
 * Reads a connector's reply about the payment `id`. Only a payment in a 200 response states an outcome; after
 * any other reply, the outcome is unknown.
 */
export function toRailReply(response: ConnectorResponse, id: string, times: PollTimes): RailReply {
  if (response.why !== undefined) return { subject: id, ...toUnknown(response.why, times) }
  if (response.status !== 200) return { subject: id, ...toUnknown(describeRefusal(response), times) }
  const { value, fault } = readBody(ConnectorPayment, response.body)
  if (fault !== undefined)
    return { subject: id, ...toUnknown(`The connector's response is invalid: ${fault}`, times) }
  return { subject: value.id, ...toRailResult(value, times) }
}

function toUnknown(detail: string, times: PollTimes): RailResult {
  return { outcome: 'unknown', pollAt: computeNextPollAt('unknown', times), why: detail }
}

function toRailResult({ status, failure, ...payment }: ConnectorPayment, times: PollTimes): RailResult {
  const reference = present({ connectorReference: toReadableLine(payment.connectorReference) })
  const transactionHash = toReadableLine(payment.transactionHash)
  const failureReason = failure?.code ?? 'COUNTERPARTY_POST_TX_FAILED'
  const detail = toReadableLine(failure?.message) ?? `The bank says ${status}`
  switch (status) {
    case 'ACCEPTED':
      return { outcome: 'accepted', pollAt: computeNextPollAt('accepted', times), ...reference }
    case 'DELIVERED':
      return {
        outcome: 'delivered',
        ...reference,
        ...(transactionHash === undefined ? {} : { transactionHash }),
      }
    case 'FAILED':
      return { outcome: 'failed', failureReason, detail }
    case 'CANCELLED':
      return { outcome: 'cancelled', failureReason, detail }
    case 'RETURNED':
      return { outcome: 'returned', failureReason, detail, reason: 'TRANSACTION_FAILED' }
    case 'UNKNOWN':
      return toUnknown('The outcome of the payment is unknown', times)
  }
}

/** The error code of a response other than 200. */
export function readErrorCode({ status, body }: ConnectorResponse): string | undefined {
  return status !== 200 && isObject(body) && typeof body.code === 'string' ? body.code : undefined
}

/** Describes a response other than 200 in a sentence for people. */
export function describeRefusal(response: ConnectorResponse): string {
  return `The connector returned ${response.status} ${readErrorCode(response) ?? ''}`.trim()
}
