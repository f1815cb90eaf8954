import { ledger_transfer_explain } from './explanations.ts'
import {
  ledger_account_csv,
  ledger_account_get,
  ledger_account_list,
  ledger_transfer_csv,
  ledger_transfer_list,
} from './ledger.ts'

/** The accounts and transfers of the ledger, and the explanations of transfers. */
export const ledgerBooks = {
  ledger_account_list,
  ledger_account_csv,
  ledger_account_get,
  ledger_transfer_list,
  ledger_transfer_csv,
  ledger_transfer_explain,
}
