import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { PainAddress } from './pain-001-document.ts'

/** The payer: the platform's account at its bank. */
export type WireDebtor = Extract<BankFilesRailValue['format'], { type: 'WIRE' }>

export interface WirePayment {
  /** At most 35 characters, for the bank and us: it is repeated in a status. */
  readonly instructionId: string
  /** At most 35 characters, for everyone on the way: it is repeated in a status and in statements. */
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
