import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import { type ConnectorMoney, parseDigits } from '@countersign/contract/connectors/protocol'
import { present } from '@countersign/contract/core/objects'
import type { Evidence, EvidenceSource } from '../evidence/evidence.ts'
import { EVENTS, OUTCOME_OF } from '../rails/settlement-table.ts'

/** A connector's event about a payment or a deposit. */
export type Report = Exclude<ConnectorEvent, { type: 'statement' }>

/** Converts an event to a claim. Undefined if the amount is out of range. */
export function toEvidence(report: Report, source: EvidenceSource): Evidence | undefined {
  const { id, occurredAt, data } = report
  const money = data.amount === undefined ? { amount: null, currency: null } : toMoney(data.amount)
  if (!money) return undefined
  const claim = { id, source, account: null, occurredAt, ...money }
  switch (report.type) {
    case 'deposit.received': {
      const { amount, currency } = money
      if (amount === null || currency === null) return undefined
      return { ...claim, kind: 'deposit', amount, currency, deposit: report.data }
    }
    case 'deposit.reversed':
      return {
        ...claim,
        kind: 'reversal',
        subject: report.data.depositId,
        message: report.data.failure.message,
      }
    case 'account.changed': {
      const { amount: _, id: paymentId, isPull = false, changes, ...reported } = report.data
      return {
        ...claim,
        ...reported,
        kind: 'account',
        subject: { direction: isPull ? 'PULL' : 'OUT', id: paymentId },
        proposed: Object.fromEntries(changes.map(({ field, value }) => [field, value])),
      }
    }
    default: {
      const { amount: _, id: paymentId, ...reported } = report.data
      const [kind, outcome] = report.type.split('.') as [
        'payment' | 'pull',
        (typeof OUTCOME_OF)[keyof typeof OUTCOME_OF],
      ]
      const direction = kind === 'payment' ? 'OUT' : 'PULL'
      return {
        ...claim,
        ...reported,
        kind: 'payment',
        event: EVENTS[outcome],
        subject: { direction, id: paymentId },
      }
    }
  }
}

function toMoney({ value, currency }: ConnectorMoney) {
  const amount = parseDigits(value)
  return amount === undefined ? undefined : { amount, currency }
}

/** Converts a claim to a connector event, which is the form that is stored and shown to people. */
export function toRecordedEvent(evidence: Evidence): RecordedEvent {
  const { id, occurredAt, source, account } = evidence
  const common = { id, occurredAt, ...present({ source, account }) }
  const amount = toConnectorMoney(evidence)
  switch (evidence.kind) {
    case 'payment': {
      const { event, subject, failure, connectorReference, transactionHash } = evidence
      const kind = subject.direction === 'OUT' ? 'payment' : 'pull'
      const data = { id: subject.id, ...present({ amount, failure, connectorReference, transactionHash }) }
      return { ...common, type: `${kind}.${OUTCOME_OF[event]}`, data }
    }
    case 'deposit':
      return { ...common, type: 'deposit.received', data: { ...evidence.deposit, ...present({ amount }) } }
    case 'account': {
      const { subject, sentTo, proposed, code, message, doubted } = evidence
      const changes = Object.entries(proposed).map(([field, value]) => ({ field, value }))
      const isPull = subject.direction === 'PULL'
      const data = { id: subject.id, isPull, sentTo, changes }
      return {
        ...common,
        type: 'account.changed',
        data: { ...data, ...present({ amount, code, message, doubted }) },
      }
    }
    case 'mandate': {
      const { subject: reference, debtor, effect, proposed, code, message } = evidence
      const changes = Object.entries(proposed).map(([field, value]) => ({ field, value }))
      const doubted = { account: debtor.account, routingNumber: debtor.sortCode }
      const data = { reference, debtor, effect, changes, code, message }
      return { ...common, type: 'mandate.advised', data: effect === 'amend' ? { ...data, doubted } : data }
    }
    case 'reversal': {
      const failure = { code: 'COUNTERPARTY_POST_TX_FAILED', message: evidence.message }
      return {
        ...common,
        type: 'deposit.reversed',
        data: { depositId: evidence.subject, failure, ...present({ amount }) },
      }
    }
  }
}

export interface RecordedEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: string
  readonly data: object
}

function toConnectorMoney({ amount, currency }: Evidence): ConnectorMoney | undefined {
  return amount === null || currency === null ? undefined : { value: String(amount), currency }
}
