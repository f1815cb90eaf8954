import type { ledger_transfer_explain } from '@countersign/contract/books/explanations'
import type { SuccessOf } from '@countersign/contract/core/endpoint'

/** A step in the explanation of a transfer, in its API form. */
export type Step = SuccessOf<typeof ledger_transfer_explain>['body']['steps'][number]
