import { parseUncompressedPublicKey, verifySignature } from '../../base/crypto/p256.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { ClientMoneyReportRow, StoredClientMoney } from '../../storage/rows/accounting.ts'
import { buildPayload, buildReportCurrencies } from './reports.ts'

export interface ReportVerification {
  readonly isSigned: boolean
  readonly isLedgerUnchanged: boolean
}

/** Checks the signature of a report, and compares its balances with the current ledger. */
export async function verifyReport(op: Op, row: ClientMoneyReportRow): Promise<ReportVerification> {
  const now = await buildReportCurrencies(op, row.date)
  return {
    isSigned: isSigned(op, row),
    isLedgerUnchanged: toLedgerText(now) === toLedgerText(row.currencies),
  }
}

function isSigned(op: Op, row: ClientMoneyReportRow): boolean {
  const key = parseUncompressedPublicKey(op.enclave.quorumPublicKey)
  if (!key || buildPayload(row) !== row.payload) return false
  return verifySignature(key, Buffer.from(row.payload), row.signature)
}

/** The parts of a report that depend on the ledger only. Statements may arrive or be matched later. */
function toLedgerText(currencies: readonly StoredClientMoney[]): string {
  return JSON.stringify(
    currencies.map(({ currency, owed, onHold, reasons, rails }) => ({
      currency,
      owed,
      onHold,
      reasons: reasons.flatMap(({ reason, amount, rail }) => (rail === undefined ? [[reason, amount]] : [])),
      rails: rails.map(({ rail, ledgerBalance }) => [rail, ledgerBalance]),
    })),
  )
}
