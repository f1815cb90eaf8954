import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { PainAddress } from './pain-001-document.ts'

/** The payer: the platform's account at its bank. */
export type WireDebtor = Extract<BankFilesRailValue['format'], { type: 'WIRE' }>

export interface WirePayment {
  /** At most 35 characters. Only the bank sees it and repeats it in status reports. */
  readonly instructionId: string
  /** At most 35 characters. All parties see it, and status reports and statements repeat it. */
  readonly endToEndId: string
  /** In cents. */
  readonly amount: bigint
  readonly creditor: {
    readonly name: string
    readonly account: string
    readonly routingNumber: string
    readonly address?: PainAddress
  }
  readonly remittanceInformation?: string
}
