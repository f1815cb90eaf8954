import { agentTables } from '../baseline/agents.ts'
import { cardTables } from '../baseline/cards.ts'
import { customerTables } from '../baseline/customers.ts'
import { ledgerTables } from '../baseline/ledger.ts'
import { paymentTables } from '../baseline/payments.ts'
import { platformTables } from '../baseline/platforms.ts'
import { signInTables } from '../baseline/sign-in.ts'
import { workTables } from '../baseline/work.ts'

/**
 * All tables with their constraints and indexes, in the order of their references. Functions and triggers are in
 * `schema/functions/`. Every row belongs to one platform; every id and time is made by `Op`, never by the database.
 */
export const baseline = [
  platformTables,
  customerTables,
  signInTables,
  paymentTables,
  ledgerTables,
  agentTables,
  cardTables,
  workTables,
].join('')
